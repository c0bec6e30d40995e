// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.reload;

import dev.coxswain.host.internal.config.CoxswainConfiguration;
import java.util.Map;

/**
 * A configuration with the values of its keys, by path.
 *
 * <p>Thread rule: immutable.
 *
 * @param configuration the configuration
 * @param values the values to compare, which may contain secrets; without keys that have neither a
 *     value nor a default
 */
record LoadedConfiguration(CoxswainConfiguration configuration, Map<String, Object> values) {

  LoadedConfiguration {
    values = Map.copyOf(values);
  }
}
