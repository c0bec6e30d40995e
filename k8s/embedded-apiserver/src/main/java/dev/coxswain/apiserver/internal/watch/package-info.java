// SPDX-License-Identifier: Apache-2.0

/**
 * Open watches: selection, delivery with a bound per client, bookmarks and time limits. Confined to
 * the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.watch;

import org.jspecify.annotations.NullMarked;
