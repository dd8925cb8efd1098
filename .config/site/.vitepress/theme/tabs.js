// One choice for all groups of tabs: who reads about Fastify on one page wants Fastify on the next.
const KEY = 'sluice:tab';

function choose(name, except) {
  for (const label of document.querySelectorAll('.vp-code-group .tabs label')) {
    const input = document.getElementById(label.htmlFor);
    if (label.dataset.title === name && !input.checked && input !== except) input.click();
  }
}

/** Follows clicks, and shows on a new page what was chosen before. */
export function followTabs() {
  document.addEventListener('click', ({ target }) => {
    const name = target.closest?.('.vp-code-group .tabs label')?.dataset.title;
    if (name === undefined) return;
    localStorage.setItem(KEY, name);
    choose(name, document.getElementById(target.htmlFor));
  });
}

export const showChosenTabs = () => choose(localStorage.getItem(KEY));
