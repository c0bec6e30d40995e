// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.Admission;
import dev.coxswain.apiserver.internal.discovery.OpenApi;
import dev.coxswain.apiserver.internal.fault.Gate;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.json.ProtobufBody;
import dev.coxswain.apiserver.internal.json.ProtobufStatus;
import dev.coxswain.apiserver.internal.json.Yaml;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.view.Rendering;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request with its body, and the ways to answer it; confined to the server's event loop. */
final class Exchange {
  private static final int PIECE = 64 * 1024;

  /** Answers up to this size are not worth compressing; the real server has the same limit. */
  private static final int GZIP_FROM = 128 * 1024;

  private static final String JSON_TYPE = "application/json";

  private final HttpServerRequest request;
  private final Buffer body;
  private final Rendering rendering;
  private final Gate gate;
  private Admission admission = Admission.NONE;
  private final long receivedAt = System.nanoTime();

  Exchange(HttpServerRequest request, Buffer body, Rendering rendering, Gate gate) {
    this.request = request;
    this.body = body;
    this.rendering = rendering;
    this.gate = gate;
  }

  /** The webhooks of this request. */
  Admission admission() {
    return admission;
  }

  /** Sets the webhooks of this request, once. */
  void admit(Supplier<Admission> webhooks) {
    if (admission == Admission.NONE) {
      admission = webhooks.get();
    }
  }

  HttpServerRequest request() {
    return request;
  }

  /** Returns when the head of the request arrived, as a time of {@code System.nanoTime}. */
  long receivedAt() {
    return receivedAt;
  }

  HttpServerResponse response() {
    return request.response();
  }

  String method() {
    return request.method().name();
  }

  @Nullable String query(String name) {
    try {
      return request.getParam(name);
    } catch (IllegalArgumentException e) {
      return null; // a query that cannot be decoded counts as none
    }
  }

  @Nullable String header(String name) {
    return request.getHeader(name);
  }

  byte[] bytes() {
    return body.getBytes();
  }

  /** Media type of the body without parameters, lower case; JSON when none is given. */
  String contentType() {
    String type = header("Content-Type");
    if (type == null || type.isBlank()) {
      return JSON_TYPE;
    }
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  /** Decodes the body of a create, update or delete. */
  JsonBody decode(boolean custom) {
    String type = contentType();
    try {
      if (type.equals(JSON_TYPE)) {
        return JsonBody.parse(bytes());
      }
      ObjectNode protobuf =
          !custom && type.equals("application/vnd.kubernetes.protobuf")
              ? ProtobufBody.parse(bytes())
              : null;
      if (protobuf != null) {
        return new JsonBody(protobuf, List.of());
      }
      if (type.equals("application/yaml")) {
        return new JsonBody(Yaml.parse(body.toString(StandardCharsets.UTF_8)), List.of());
      }
    } catch (IOException e) {
      throw ApiException.badRequest(
          "couldn't get version/kind; json parse error: " + Json.firstLine(e));
    }
    throw ApiException.unsupportedMediaType(
        "application/json, application/yaml"
            + (custom ? "" : ", application/vnd.kubernetes.protobuf"));
  }

  /** Decodes the body of a patch. */
  JsonBody decodePatch() {
    try {
      return JsonBody.parse(bytes());
    } catch (IOException e) {
      throw ApiException.badRequest("error decoding patch: " + Json.firstLine(e));
    }
  }

  /** Decodes the body of an apply. */
  JsonNode decodeConfiguration() {
    try {
      return Yaml.parse(body.toString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw ApiException.badRequest("error decoding YAML: " + Json.firstLine(e));
    }
  }

  /** Decodes an optional body, as deletes have. */
  @Nullable JsonNode decodeOptional() {
    if (body.length() == 0) {
      return null;
    }
    return decode(false).tree();
  }

  void warn(List<String> warnings) {
    List<String> headers = new ArrayList<>();
    Set<String> all = new TreeSet<>(warnings);
    all.addAll(admission.warnings());
    for (String warning : all) {
      headers.add("299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
    }
    if (!headers.isEmpty()) {
      response().putHeader("Warning", headers);
    }
  }

  /** Answers text. */
  void text(int status, String text) {
    response().setStatusCode(status).putHeader("Content-Type", "text/plain; charset=utf-8");
    response().end(Buffer.buffer(text));
  }

  void noSuchPath() {
    text(404, "404 page not found\n");
  }

  /** Answers a tree, as JSON or YAML. */
  void tree(int status, ObjectNode tree, Negotiation negotiation) {
    if (negotiation.yaml()) {
      response().setStatusCode(status).putHeader("Content-Type", "application/yaml");
      response().end(Buffer.buffer(Yaml.print(rendering.dress(tree))));
    } else {
      json(status, Json.bytes(tree));
    }
  }

  /** Answers printed JSON. */
  void json(int status, byte[] json) {
    json(status, json, JSON_TYPE);
  }

  void json(int status, byte[] json, String type) {
    response()
        .setStatusCode(status)
        .putHeader("Content-Type", type)
        .putHeader("Cache-Control", "no-cache, private");
    response().end(Buffer.buffer(rendering.dress(json)));
  }

  private boolean reads() {
    return method().equals("GET") || method().equals("HEAD");
  }

  /** Answers JSON in pieces, no faster than the client reads. */
  void pieces(List<byte[]> pieces) {
    if (rendering.dresses() || !reads()) {
      json(200, join(pieces));
      return;
    }
    long length = pieces.stream().mapToLong(p -> p.length).sum();
    response().putHeader("Content-Type", JSON_TYPE).putHeader("Cache-Control", "no-cache, private");
    Iterator<byte[]> rest = pieces.iterator();
    if (length > GZIP_FROM && acceptsGzip()) {
      response()
          .setChunked(true)
          .putHeader("Content-Encoding", "gzip")
          .putHeader("Vary", "Accept-Encoding");
      rest = new GzipPieces(rest);
    } else {
      response().putHeader("Content-Length", Long.toString(length));
    }
    stream(rest);
  }

  private boolean acceptsGzip() {
    String accepted = header("Accept-Encoding");
    return accepted != null && accepted.contains("gzip");
  }

  private void stream(Iterator<byte[]> rest) {
    response().drainHandler(v -> send(rest));
    send(rest);
  }

  static byte[] join(List<byte[]> pieces) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    pieces.forEach(out::writeBytes);
    return out.toByteArray();
  }

  private void send(Iterator<byte[]> rest) {
    if (gate.closed()) {
      if (!gate.pass(() -> send(rest))) {
        request.connection().close();
      }
      return;
    }
    while (rest.hasNext() && !response().closed() && !response().writeQueueFull()) {
      Buffer piece = Buffer.buffer(PIECE);
      while (rest.hasNext() && piece.length() < PIECE) {
        piece.appendBytes(rest.next());
      }
      response().write(piece);
    }
    if (!rest.hasNext() && !response().ended() && !response().closed()) {
      response().end();
    }
  }

  /** Answers with the second version of OpenAPI. */
  void openApiV2() {
    String accept = header("Accept");
    boolean binary = accept != null && accept.contains("proto-openapi.spec.v2");
    response()
        .putHeader("Content-Type", binary ? OpenApi.PROTOBUF : JSON_TYPE)
        .end(Buffer.buffer(OpenApi.second(binary)));
  }

  /** Answers a failure. */
  void fail(ApiException failure) {
    if (response().ended() || response().headWritten()) {
      request.connection().close();
      return;
    }
    if (failure.retryAfter() > 0) {
      response().putHeader("Retry-After", Integer.toString(failure.retryAfter()));
    }
    if (Negotiation.onlyProtobuf(header("Accept"))) {
      response()
          .setStatusCode(failure.code())
          .putHeader("Content-Type", Negotiation.PROTOBUF)
          .end(Buffer.buffer(ProtobufStatus.of(failure.toStatus())));
      return;
    }
    json(failure.code(), Json.bytes(failure.toStatus()));
  }
}
