import { inBrowser, onContentUpdated } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { followTabs, showChosenTabs } from './tabs.js';
import './sluice.css';

/** A group of the sidebar is a button, in which VitePress has an arrow that is a button, too: one is enough. */
function flattenGroups() {
  for (const arrow of document.querySelectorAll('.VPSidebarItem [role="button"] > .caret')) {
    arrow.removeAttribute('role');
    arrow.removeAttribute('tabindex');
    arrow.removeAttribute('aria-label');
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(() => {
      showChosenTabs();
      flattenGroups();
    });
  },
  enhanceApp() {
    if (inBrowser) followTabs();
  },
};
