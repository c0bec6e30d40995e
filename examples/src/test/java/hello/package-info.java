// SPDX-License-Identifier: Apache-2.0
/** The controller that the README shows, compiled and run. */
@NullMarked
package hello;

import org.jspecify.annotations.NullMarked;
