// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.Lists;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.List;

/** Objects as {@code Table}, the format that kubectl requests first; any thread. */
public final class Tables {
  /** The object in a row besides its cells. */
  public enum Include {
    NONE,
    METADATA,
    OBJECT;

    /** Reads the query parameter {@code includeObject}. */
    public static Include parse(@org.jspecify.annotations.Nullable String text) {
      String given = text == null ? "" : text;
      return switch (given) {
        case "", "Metadata" -> METADATA;
        case "None" -> NONE;
        case "Object" -> OBJECT;
        default ->
            throw ApiException.badRequest(
                "Unable to convert to Table as requested: includeObject: Invalid value: "
                    + Cause.quote(given)
                    + ": must be 'Metadata', 'Object', 'None', or empty");
      };
    }
  }

  private Tables() {}

  /** Returns a page as a table. */
  public static ObjectNode table(ServedResource resource, Lists.Page page, Include include) {
    ObjectNode table = head(resource);
    table.set("metadata", Rendering.listMeta(page));
    ArrayNode rows = table.putArray("rows");
    for (StoredObject object : page.items()) {
      rows.add(row(resource, object, include));
    }
    return table;
  }

  /** Returns one object as a table. */
  public static ObjectNode single(ServedResource resource, StoredObject object, Include include) {
    return table(resource, new Lists.Page(List.of(object), object.version(), "", -1, ""), include);
  }

  static ObjectNode watchRow(ServedResource resource, StoredObject object) {
    return single(resource, object, Include.METADATA);
  }

  private static ObjectNode head(ServedResource resource) {
    ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
    table.putObject("metadata");
    ArrayNode columns = table.putArray("columnDefinitions");
    for (Columns.Column column : Columns.of(resource)) {
      columns
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.format())
          .put("description", column.description())
          .put("priority", column.priority());
    }
    return table;
  }

  private static ObjectNode row(ServedResource resource, StoredObject object, Include include) {
    ObjectNode row = Json.object();
    ObjectNode tree = Rendering.tree(resource, object);
    ArrayNode cells = row.putArray("cells");
    for (Columns.Column column : Columns.of(resource)) {
      cells.add(column.value().apply(tree));
    }
    switch (include) {
      case NONE -> row.putNull("object");
      case METADATA -> row.set("object", Rendering.metadataTree(object));
      case OBJECT -> row.set("object", tree);
    }
    return row;
  }
}
