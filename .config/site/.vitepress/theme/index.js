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

/** A picture that is wider than a small screen is scrolled in its paragraph: with the keys, too. */
function focusWidePictures() {
  for (const { parentElement: frame } of document.querySelectorAll('.vp-doc p > img:only-child')) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    onContentUpdated(() => {
      showChosenTabs();
      flattenGroups();
      focusWidePictures();
    });
  },
  enhanceApp() {
    if (inBrowser) followTabs();
  },
};
