// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

/**
 * The metadata of a page of a list.
 *
 * <p>Thread rule: immutable.
 *
 * @param resourceVersion the version of the list; empty when the page has none
 * @param token the continue token of the next page; empty when this was the last
 */
public record ListMetadata(String resourceVersion, String token) {}
