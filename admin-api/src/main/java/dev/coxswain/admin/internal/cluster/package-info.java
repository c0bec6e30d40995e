// SPDX-License-Identifier: Apache-2.0
/**
 * The resources of all replicas: sends a request to the replicas it concerns and merges their
 * responses.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.cluster;

import org.jspecify.annotations.NullMarked;
