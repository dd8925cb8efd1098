import { inBrowser, onContentUpdated } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { followTabs, showChosenTabs } from './tabs.js';
import './sluice.css';

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(showChosenTabs);
  },
  enhanceApp() {
    if (inBrowser) followTabs();
  },
};
