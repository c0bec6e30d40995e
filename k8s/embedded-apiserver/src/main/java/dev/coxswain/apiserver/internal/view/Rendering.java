// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.kind.EventProjection;
import dev.coxswain.apiserver.internal.operation.Lists;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Stored objects as the bytes of an answer; confined to the server's event loop. */
public final class Rendering {
  private static final byte[] EVENT_END = bytes("}\n");

  private boolean unknownFields;

  /** Creates a plain renderer. */
  public Rendering() {}

  /** Adds unknown fields to every response, like a newer server. */
  public void unknownFields(boolean on) {
    unknownFields = on;
  }

  /** Returns the form of a response that is sent, with unknown fields when that fault is on. */
  public byte[] dress(byte[] json) {
    return unknownFields ? Json.bytes(UnknownFields.add(Json.parseOwn(json))) : json;
  }

  /** Returns the form of a response that is sent, with unknown fields when that fault is on. */
  public ObjectNode dress(ObjectNode tree) {
    return unknownFields ? UnknownFields.add(tree.deepCopy()) : tree;
  }

  /** True when answers have to be dressed. */
  public boolean dresses() {
    return unknownFields;
  }

  /** The form of a response that a client has requested. */
  public enum Shape {
    OBJECT,
    METADATA,
    TABLE,
    /** A table without columns, as all events of a watch but the first have it. */
    ROWS;

    /** Returns the shape of the events behind the first one. */
    public Shape behindFirst() {
      return this == TABLE ? ROWS : this;
    }
  }

  /** Returns the tree of an object in the version of {@code resource}. */
  public static ObjectNode tree(ServedResource resource, StoredObject object) {
    ObjectNode tree = object.tree(resource.type(), resource.version());
    return resource.type().newEvents() ? EventProjection.toNew(tree) : tree;
  }

  /** Prints one object as JSON. */
  public byte[] object(ServedResource resource, StoredObject object) {
    if (resource.type().newEvents()) {
      return Json.bytes(tree(resource, object));
    }
    return concat(
        StoredObject.prefix(resource.type().kind(), resource.apiVersion()), object.body());
  }

  /** Prints one object as {@code PartialObjectMetadata}. */
  public static byte[] metadata(StoredObject object) {
    return Json.bytes(metadataTree(object));
  }

  static ObjectNode metadataTree(StoredObject object) {
    ObjectNode partial = Json.object();
    partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", object.bareTree().get("metadata"));
    return partial;
  }

  /** Prints a list in pieces, so that a long one is never in memory twice. */
  public List<byte[]> list(ServedResource resource, Lists.Page page, Shape shape) {
    List<byte[]> pieces = new ArrayList<>(2 * page.items().size() + 2);
    boolean partial = shape == Shape.METADATA;
    ObjectNode head = Json.object();
    head.put("kind", partial ? "PartialObjectMetadataList" : resource.type().listKind());
    head.put("apiVersion", partial ? "meta.k8s.io/v1" : resource.apiVersion());
    ObjectNode meta = listMeta(page);
    // the real server has no place for it in the lists of custom resources
    if (shape == Shape.OBJECT && !resource.type().custom() && !page.shards().isEmpty()) {
      meta.putObject("shardInfo").put("selector", page.shards());
    }
    head.set("metadata", meta);
    byte[] text = Json.bytes(head);
    text[text.length - 1] = ',';
    pieces.add(text);
    pieces.add(bytes("\"items\":["));
    byte[] prefix =
        resource.type().custom()
            ? StoredObject.prefix(resource.type().kind(), resource.apiVersion())
            : bytes("{");
    byte[] comma = bytes(",");
    boolean first = true;
    for (StoredObject object : page.items()) {
      if (!first) {
        pieces.add(comma);
      }
      first = false;
      if (partial) {
        pieces.add(metadata(object));
      } else if (resource.type().newEvents()) {
        ObjectNode event = tree(resource, object);
        event.remove(List.of("kind", "apiVersion"));
        pieces.add(Json.bytes(event));
      } else {
        pieces.add(prefix);
        pieces.add(object.body());
      }
    }
    pieces.add(bytes("]}"));
    return pieces;
  }

  static ObjectNode listMeta(Lists.Page page) {
    ObjectNode meta = Json.object().put("resourceVersion", Long.toString(page.version()));
    if (!page.continueToken().isEmpty()) {
      meta.put("continue", page.continueToken());
    }
    if (page.remaining() >= 0) {
      meta.put("remainingItemCount", page.remaining());
    }
    return meta;
  }

  /** Prints a watch event with a line end. */
  public byte[] event(String type, ServedResource resource, StoredObject object, Shape shape) {
    if (shape == Shape.OBJECT && !resource.type().newEvents() && !unknownFields) {
      byte[] prefix = StoredObject.prefix(resource.type().kind(), resource.apiVersion());
      return concat(eventHead(type), prefix, object.body(), EVENT_END); // copied once
    }
    byte[] body =
        switch (shape) {
          case OBJECT -> object(resource, object);
          case METADATA -> metadata(object);
          case TABLE -> Json.bytes(Tables.watchRow(resource, object));
          case ROWS -> {
            ObjectNode table = Tables.watchRow(resource, object);
            yield Json.bytes(table.putNull("columnDefinitions"));
          }
        };
    return event(type, body);
  }

  /** Prints a watch event around a printed object. */
  public byte[] event(String type, byte[] json) {
    return concat(eventHead(type), dress(json), EVENT_END);
  }

  private static byte[] eventHead(String type) {
    return bytes("{\"type\":\"" + type + "\",\"object\":");
  }

  private static byte[] concat(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Unknown fields in responses, as of a newer server; any thread. */
  private static final class UnknownFields {
    private static final String NAME = "coxswainUnknownField";

    private UnknownFields() {}

    /** Adds them to an answer, its metadata and, when it is a list, its items; changes the tree. */
    static ObjectNode add(ObjectNode answer) {
      unknown(answer);
      for (JsonNode item : answer.path("items")) {
        if (item instanceof ObjectNode object) {
          unknown(object);
        }
      }
      return answer;
    }

    private static void unknown(ObjectNode object) {
      ObjectNode value = object.putObject(NAME).put("since", "v9");
      value.putArray("values").add(1).add(true).addNull();
      ObjectNode meta = Json.child(object, "metadata");
      if (meta != null) {
        meta.put(NAME, "v9");
      }
    }
  }
}
