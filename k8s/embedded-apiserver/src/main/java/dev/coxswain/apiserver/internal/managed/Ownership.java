// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Schema;

/** Records who owns which fields after plain writes; any thread. */
public final class Ownership {
  private Ownership() {}

  /** Records the creator of a new object, in its {@code managedFields}. */
  public static void created(
      ServedResource resource, ObjectNode object, String manager, String now) {
    updated(resource, Json.object(), object, manager, "", now);
  }

  /**
   * Settles which owners an update starts from: those it names, none when it resets them with one
   * empty entry, and those of before when it names none or what cannot be read.
   */
  public static void settle(ObjectNode oldMeta, ObjectNode meta) {
    JsonNode given = meta.path("managedFields");
    if (given.size() == 1 && given.path(0).isEmpty()) {
      meta.remove("managedFields");
    } else if (!Managers.readable(given)) {
      Json.carry(oldMeta, meta, "managedFields"); // leaving them out is not giving them up
    }
  }

  /** Records what an update changed; {@code object} holds the owners before it. */
  public static void updated(
      ServedResource resource,
      ObjectNode old,
      ObjectNode object,
      String manager,
      String subresource,
      String now) {
    Schema schema = resource.version().schema();
    Fields.Difference difference = Fields.compare(Fields.strip(old), Fields.strip(object), schema);
    if (difference.same()) {
      return;
    }
    Managers managers = Managers.parse(object);
    if (managers.isEmpty() && !old.isEmpty()) {
      return; // no managers are tracked until the first apply
    }
    Managers.Id self = new Managers.Id(manager, false, resource.apiVersion(), subresource);
    FieldSet own = managers.fields(self);
    FieldSet fields = own == null ? new FieldSet() : own.copy();
    fields.addAll(difference.changed());
    fields.removeAll(difference.removed());
    managers.take(difference.changed(), self);
    managers.take(difference.removed(), self);
    managers.set(self, fields);
    if (!difference.changed().isEmpty()) {
      managers.touch(self, now);
    }
    managers.write(object);
  }
}
