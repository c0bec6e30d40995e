// SPDX-License-Identifier: Apache-2.0
// Sets the chosen theme before anything is painted; a classic script for that reason.
(function () {
  'use strict';
  try {
    const chosen = localStorage.getItem('coxswain.theme');
    if (chosen === 'light' || chosen === 'dark') {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // Without storage the theme is that of the system.
  }
})();
