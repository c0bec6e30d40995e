// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.view;

/**
 * What the slots contribute to the readiness of a replica.
 *
 * <p>Thread rule: immutable.
 *
 * @param problem why the slots of this replica are not as they should be; empty when they are
 * @param counts whether the replica is not ready because of it, or the problem is only shown
 */
public record SlotReadiness(String problem, boolean counts) {}
