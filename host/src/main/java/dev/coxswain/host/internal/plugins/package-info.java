// SPDX-License-Identifier: Apache-2.0
/**
 * Plug-ins: controllers in jars of one folder, which are loaded, replaced and removed while the host
 * runs. Each plug-in has a class loader of its own. The host keeps nothing of a plug-in that was
 * unloaded, so its classes can be collected.
 *
 * <p>Called by the composition root and by the admin API. Files are read and code of plug-ins is
 * called on platform threads, one for each plug-in that changes.
 */
@NullMarked
package dev.coxswain.host.internal.plugins;

import org.jspecify.annotations.NullMarked;
