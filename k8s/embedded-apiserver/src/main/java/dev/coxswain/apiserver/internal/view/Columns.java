// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Which columns a table of a resource has; any thread. */
final class Columns {
  /**
   * One column; immutable.
   *
   * @param name heading
   * @param type as in {@code string}
   * @param format as in {@code name}, mostly empty
   * @param description help text
   * @param priority 0 = always shown
   * @param value makes the cell
   */
  record Column(
      String name,
      String type,
      String format,
      String description,
      int priority,
      Function<ObjectNode, JsonNode> value) {}

  private static final Column NAME =
      new Column(
          "Name",
          "string",
          "name",
          "Name must be unique within a namespace.",
          0,
          o -> Json.text(Cells.name(o)));
  private static final Column AGE =
      new Column(
          "Age",
          "string",
          "",
          "Time since the object was created.",
          0,
          o -> Json.text(Cells.age(o)));
  private static final List<Column> PLAIN =
      List.of(NAME, new Column("Age", "date", "", "", 0, AGE.value()));

  private Columns() {}

  static List<Column> of(ServedResource resource) {
    ResourceType type = resource.type();
    if (type.custom()) {
      return custom(resource.version());
    }
    List<Column> own = BuiltinColumns.TABLE.get(type.storage());
    if (own == null) {
      return List.of(NAME, AGE);
    }
    return own;
  }

  /** Name, the columns given, and age; columns of the wide form come behind age. */
  static List<Column> withNameAndAge(List<Column> given) {
    List<Column> all = new ArrayList<>();
    all.add(NAME);
    given.stream().filter(c -> c.priority() == 0).forEach(all::add);
    all.add(AGE);
    given.stream().filter(c -> c.priority() > 0).forEach(all::add);
    return all;
  }

  private static List<Column> custom(ResourceType.Version version) {
    if (version.columns().isEmpty()) {
      return PLAIN;
    }
    List<Column> all = new ArrayList<>();
    all.add(NAME);
    for (ResourceType.Column c : version.columns()) {
      JsonPath path = JsonPath.parse(c.path());
      all.add(
          new Column(
              c.name(),
              c.type(),
              c.format(),
              c.description(),
              c.priority(),
              o -> Cells.custom(path.find(o), c.type())));
    }
    return all;
  }
}
