// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

/**
 * The metadata of a page of a list.
 *
 * <p>Thread rule: immutable.
 *
 * @param resourceVersion the version of the list; empty when the page has none
 * @param token the continue token of the next page; empty when this was the last
 * @param remaining how many objects come after this page; negative when the server has not counted them
 */
public record ListMetadata(String resourceVersion, String token, long remaining) {}
