// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.coxswain.testing.SelfSigned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An HTTPS server with webhooks by path, which records the reviews that it receives. */
final class WebhookServer implements AutoCloseable {
  static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String PASSWORD = SelfSigned.PASSWORD;

  private final HttpsServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Function<JsonNode, String>> hooks = new ConcurrentHashMap<>();
  private final List<JsonNode> reviews = new CopyOnWriteArrayList<>();
  private final String authority;

  private WebhookServer(KeyStore keys) throws IOException, GeneralSecurityException {
    authority =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(keys.getCertificate("hook").getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    KeyManagerFactory identity =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    identity.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(identity.getKeyManagers(), null, null);
    http = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    http.setHttpsConfigurator(new HttpsConfigurator(context));
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  static WebhookServer start(Path folder) throws Exception {
    KeyStore keys =
        SelfSigned.add(folder.resolve("hook.p12"), "hook", "CN=hook", "-ext", "san=ip:127.0.0.1");
    return new WebhookServer(keys);
  }

  /** Serves a path: from a review to the whole answer; an answer that begins with a digit is a status. */
  void on(String path, Function<JsonNode, String> hook) {
    hooks.put(path, hook);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode review = MAPPER.readTree(exchange.getRequestBody().readAllBytes());
      reviews.add(review);
      Function<JsonNode, String> hook = hooks.get(exchange.getRequestURI().getPath());
      String answer = hook == null ? "404 none" : hook.apply(review);
      int status = 200;
      if (Character.isDigit(answer.charAt(0))) {
        status = Integer.parseInt(answer.substring(0, 3));
        answer = answer.substring(4);
      }
      byte[] body = answer.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Returns an answer to an admission review; {@code fields} follow the uid. */
  static String admission(JsonNode review, String fields) {
    return """
    {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"%s",%s}}
    """
        .formatted(review.at("/request/uid").asText(), fields);
  }

  static String allowed(JsonNode review) {
    return admission(review, "\"allowed\":true");
  }

  static String denied(JsonNode review, String message) {
    return admission(
        review,
        "\"allowed\":false,\"status\":{\"code\":403,\"reason\":\"Forbidden\",\"message\":\"%s\"}"
            .formatted(message));
  }

  static String patched(JsonNode review, String patch) {
    String encoded = Base64.getEncoder().encodeToString(patch.getBytes(StandardCharsets.UTF_8));
    return admission(
        review, "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"%s\"".formatted(encoded));
  }

  /** Answers a conversion review with every object as {@code one} makes it, in the wanted version. */
  static String converted(JsonNode review, UnaryOperator<ObjectNode> one) {
    ObjectNode answer = MAPPER.createObjectNode();
    answer.put("apiVersion", "apiextensions.k8s.io/v1").put("kind", "ConversionReview");
    ObjectNode response = answer.putObject("response");
    response.put("uid", review.at("/request/uid").asText());
    ArrayNode objects = response.putArray("convertedObjects");
    for (JsonNode object : review.at("/request/objects")) {
      ObjectNode copy = object.deepCopy();
      objects.add(
          one.apply(copy).put("apiVersion", review.at("/request/desiredAPIVersion").asText()));
    }
    response.putObject("result").put("status", "Success");
    return answer.toString();
  }

  List<JsonNode> reviews() {
    return reviews;
  }

  void forget() {
    reviews.clear();
  }

  String url(String path) {
    return "https://127.0.0.1:" + http.getAddress().getPort() + path;
  }

  /** Its certificate in the form of {@code caBundle}. */
  String bundle() {
    return Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII));
  }

  /** A configuration with one webhook for ConfigMaps; {@code more} are more fields of the webhook. */
  ObjectNode configuration(String kind, String name, String path, String more) {
    try {
      return (ObjectNode)
          MAPPER.readTree(
              """
              {"apiVersion":"admissionregistration.k8s.io/v1","kind":"%s","metadata":{"name":"%s"},
               "webhooks":[{"name":"%s.tests.dev","sideEffects":"None","admissionReviewVersions":["v1"],
                 "clientConfig":{"url":"%s","caBundle":"%s"}%s,
                 "rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}]}]}
              """
                  .formatted(kind, name, name, url(path), bundle(), more));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
