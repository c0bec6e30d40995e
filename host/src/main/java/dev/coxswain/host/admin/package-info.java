// SPDX-License-Identifier: Apache-2.0
/**
 * The host's side of the admin API: whom it asks who a caller is and what they may do, and the
 * files with certificates and tokens, which are read again when they change.
 *
 * <p>Made by the composition root; {@link dev.coxswain.host.admin.AdminComponent} is started and
 * stopped with the other servers.
 */
@NullMarked
package dev.coxswain.host.admin;

import org.jspecify.annotations.NullMarked;
