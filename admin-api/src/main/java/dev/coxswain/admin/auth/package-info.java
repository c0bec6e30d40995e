// SPDX-License-Identifier: Apache-2.0
/**
 * Authentication and authorization of the admin API: the two ports that a host implements ({@link
 * dev.coxswain.admin.auth.Authenticator}, {@link dev.coxswain.admin.auth.Authorizer}), their value
 * types, and an implementation that decides by a list.
 *
 * <p>The host passes them as an {@link dev.coxswain.admin.auth.AccessControl} to the
 * {@link dev.coxswain.admin.AdminVerticle}, which calls them on its event loop; an implementation
 * must not block there and may complete its future on any thread.
 */
@NullMarked
package dev.coxswain.admin.auth;

import org.jspecify.annotations.NullMarked;
