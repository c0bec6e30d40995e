// SPDX-License-Identifier: Apache-2.0
/**
 * Copies labelled ConfigMaps into other namespaces: a controller with a finalizer, with objects of
 * its own to keep in shape, and with owners that owner references cannot express.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.mirror;

import org.jspecify.annotations.NullMarked;
