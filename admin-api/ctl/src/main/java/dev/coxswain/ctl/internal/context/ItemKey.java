// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.context;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The name of an item.
 *
 * @param controller the controller of the queue
 * @param namespace empty for a cluster-scoped object
 * @param name of the object
 */
public record ItemKey(String controller, String namespace, String name) {

  /** Reads {@code name} or {@code namespace/name}; {@code /name} is a cluster-scoped object. */
  public static ItemKey of(CommandContext context, String controller, String text) {
    String word = ResourceKinds.ITEM.bareName(text);
    int slash = word.indexOf('/');
    String name = word.substring(slash + 1);
    if (name.isEmpty()) {
      throw new CommandException("expected NAME or NAMESPACE/NAME, found \"" + text + "\"");
    }
    if (slash < 0) {
      return new ItemKey(controller, context.namespace(), name);
    }
    if (context.arguments().has(ItemSelector.NAMESPACE)) {
      throw new CommandException("\"" + text + "\" has a namespace: omit --namespace");
    }
    return new ItemKey(controller, word.substring(0, slash), name);
  }

  /** Returns its path in the admin API. */
  public String path(String... more) {
    String id =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString((namespace + "/" + name).getBytes(StandardCharsets.UTF_8));
    StringBuilder path =
        new StringBuilder(AdminClient.path("controllers", controller, "items", id));
    for (String part : more) {
      path.append(AdminClient.path(part));
    }
    return path.toString();
  }

  /** Returns the form of {@code -o name}. */
  @Override
  public String toString() {
    return "item/" + namespace + "/" + name;
  }
}
