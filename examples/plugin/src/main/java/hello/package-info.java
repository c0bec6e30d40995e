// SPDX-License-Identifier: Apache-2.0
/** A plug-in with one controller. */
package hello;
