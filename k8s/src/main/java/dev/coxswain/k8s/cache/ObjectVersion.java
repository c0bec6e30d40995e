// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

/**
 * A version of an incarnation of an object.
 *
 * <p>Thread rule: immutable.
 *
 * @param uid the incarnation
 * @param resourceVersion its version
 */
public record ObjectVersion(String uid, String resourceVersion) {}
