// SPDX-License-Identifier: Apache-2.0
/**
 * The host's side of the admin API: authentication and authorization, and the files with
 * certificates and tokens, which are reloaded when they change.
 *
 * <p>Created by the composition root; {@link dev.coxswain.host.internal.admin.AdminComponent} is started and
 * stopped with the other servers.
 */
@NullMarked
package dev.coxswain.host.internal.admin;

import org.jspecify.annotations.NullMarked;
