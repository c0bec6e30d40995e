// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.auth;

import java.util.List;
import java.util.Map;

/**
 * Who a token stands for, as the API server says.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the user name
 * @param uid the id of the user, or empty
 * @param groups the groups
 * @param extra what else the authenticators of the API server know
 */
public record ReviewedUser(
    String name, String uid, List<String> groups, Map<String, List<String>> extra) {

  public ReviewedUser {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }
}
