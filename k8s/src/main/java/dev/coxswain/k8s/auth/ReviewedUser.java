// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.auth;

import java.util.List;
import java.util.Map;

/**
 * The user of a token, from a TokenReview.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the user name
 * @param uid the id of the user, or empty
 * @param groups the groups
 * @param extra further attributes from the authenticators of the API server
 */
public record ReviewedUser(
    String name, String uid, List<String> groups, Map<String, List<String>> extra) {

  public ReviewedUser {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }
}
