// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

/**
 * The attributes of a request that filters compare; immutable.
 *
 * @param verb verb, or the HTTP method in lower case outside of resources
 * @param group API group, empty for core
 * @param resource plural resource with its subresource behind a slash, empty = no resource
 * @param uri path and query
 */
public record RequestFacts(String verb, String group, String resource, String uri) {}
