// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.auth;

/**
 * The verb and the resource of an access review.
 *
 * <p>Thread rule: immutable.
 *
 * @param group the API group
 * @param resource the resource, with its subresource behind a slash
 * @param verb the verb
 * @param namespace the namespace, empty for all of them
 * @param name the object, empty for all of them
 */
public record ResourceAttributes(
    String group, String resource, String verb, String namespace, String name) {}
