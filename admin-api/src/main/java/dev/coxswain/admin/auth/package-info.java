// SPDX-License-Identifier: Apache-2.0
/**
 * Who may do what with the admin API: the two ports that a host fills ({@link
 * dev.coxswain.admin.auth.Authenticator}, {@link dev.coxswain.admin.auth.Authorizer}), the words
 * they speak, and an implementation that answers from a list.
 *
 * <p>The host makes an {@link dev.coxswain.admin.auth.AccessControl} of them and hands it to the
 * {@link dev.coxswain.admin.AdminVerticle}, which asks on its event loop; an implementation must
 * not block there and may answer on any thread.
 */
@NullMarked
package dev.coxswain.admin.auth;

import org.jspecify.annotations.NullMarked;
