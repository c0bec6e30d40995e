// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The flags that select the replicas of a command; the default is all. */
public final class ScopeFlags {

  private static final String LOCAL = "local";

  static final Flag REPLICA = Flag.of("--replica", "NAME", "only this replica");
  static final Flag SCOPE =
      Flag.of(
              "--scope",
              "SCOPE",
              "cluster (default), or local: only the replica that receives the request")
          .withChoices(List.of(LOCAL, "cluster"));

  public static final List<Flag> FLAGS = List.of(REPLICA, SCOPE);

  private ScopeFlags() {}

  /** Returns the query parameters for all requests. */
  static Map<String, String> parameters(Arguments arguments) {
    Map<String, String> parameters = new LinkedHashMap<>();
    String replica = arguments.value(REPLICA);
    if (replica != null) {
      parameters.put("replica", ResourceKinds.REPLICA.bareName(replica));
    }
    String scope = arguments.choice(SCOPE);
    if (!scope.isEmpty()) {
      if (replica != null && scope.equals(LOCAL)) {
        throw new CommandException("give either --replica or --scope local");
      }
      parameters.put("scope", scope);
    }
    return parameters;
  }
}
