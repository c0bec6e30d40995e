// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.util.List;

/**
 * A kind of resource that can be listed.
 *
 * @param singular the kind in {@code -o name}
 * @param plural the kind in messages and paths
 * @param aliases alternative names
 * @param key the field of its JSON with the name of an object
 */
public record ResourceKind(String singular, String plural, List<String> aliases, String key) {

  /** Returns a name without the prefix that {@code -o name} adds. */
  public String bareName(String word) {
    return word.startsWith(singular + "/") ? word.substring(singular.length() + 1) : word;
  }

  public boolean isCalled(String word) {
    return word.equals(singular) || word.equals(plural) || aliases.contains(word);
  }
}
