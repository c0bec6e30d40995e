// SPDX-License-Identifier: Apache-2.0
/**
 * Requests to other replicas: client, TLS, streams and the answers, with a state for each replica.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.peer;

import org.jspecify.annotations.NullMarked;
