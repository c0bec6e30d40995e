// SPDX-License-Identifier: Apache-2.0
/** The controllers of a plug-in. */
package hello;
