// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.k8s.client.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Finds the webhooks that controllers have registered, and calls each as an API server does.
 *
 * <p>Thread rule: any thread, which is blocked.
 */
final class WebhookCheck {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int OK = 200;

  private WebhookCheck() {}

  /**
   * A registered webhook.
   *
   * @param name its name, or that of the definition that it converts
   * @param client its address and authority
   * @param review what is sent to it
   */
  record Registered(String name, JsonObject client, JsonObject review) {}

  /**
   * Returns the registered webhooks.
   *
   * @param rights whose webhooks are meant
   * @param objects the objects of the API server
   * @param missing receives the controllers and definitions without one
   */
  static List<Registered> registered(
      AuthorRights rights, List<JsonObject> objects, List<String> missing) {
    Map<String, List<Registered>> found = new TreeMap<>();
    rights
        .webhooks()
        .forEach(name -> found.put(ProjectManifests.webhookConfiguration(name), new ArrayList<>()));
    rights.conversions().forEach(name -> found.put(name, new ArrayList<>()));
    for (JsonObject object : objects) {
      List<Registered> into = found.get(ProjectManifests.name(object));
      String kind = ProjectManifests.kind(object);
      if (into == null) {
        continue;
      }
      if (kind.endsWith("WebhookConfiguration")
          && object.get("webhooks") instanceof JsonArray webhooks) {
        for (JsonElement one : webhooks) {
          JsonObject webhook = one.getAsJsonObject();
          into.add(
              new Registered(
                  Json.text(webhook, "name"),
                  webhook.getAsJsonObject("clientConfig"),
                  admission(webhook.getAsJsonArray("rules").get(0).getAsJsonObject())));
        }
      } else if (kind.equals("CustomResourceDefinition")
          && object.getAsJsonObject("spec").get("conversion") instanceof JsonObject conversion
          && conversion.get("webhook") instanceof JsonObject webhook) {
        into.add(
            new Registered(
                ProjectManifests.name(object),
                webhook.getAsJsonObject("clientConfig"),
                conversion(object)));
      }
    }
    List<Registered> all = new ArrayList<>();
    found.forEach((name, webhooks) -> {
      all.addAll(webhooks);
      if (webhooks.isEmpty()) {
        missing.add(name);
      }
    });
    return all;
  }

  /** A review of an object without fields: any decision about it is an answer. */
  private static JsonObject admission(JsonObject rule) {
    JsonObject resource = new JsonObject();
    resource.addProperty("group", first(rule, "apiGroups"));
    resource.addProperty("version", first(rule, "apiVersions"));
    resource.addProperty("resource", first(rule, "resources"));
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", "verify");
    metadata.addProperty("namespace", "default");
    JsonObject object = new JsonObject();
    object.add("metadata", metadata);
    JsonObject request = request();
    request.add("resource", resource);
    request.addProperty("operation", first(rule, "operations"));
    request.addProperty("name", "verify");
    request.addProperty("namespace", "default");
    request.addProperty("dryRun", true);
    request.add(first(rule, "operations").equals("DELETE") ? "oldObject" : "object", object);
    return review("admission.k8s.io/v1", "AdmissionReview", request);
  }

  private static JsonObject conversion(JsonObject definition) {
    JsonObject spec = definition.getAsJsonObject("spec");
    JsonObject request = request();
    request.addProperty(
        "desiredAPIVersion",
        Json.text(spec, "group") + "/" + Json.text(spec.getAsJsonArray("versions").get(0), "name"));
    request.add("objects", new JsonArray());
    return review("apiextensions.k8s.io/v1", "ConversionReview", request);
  }

  private static JsonObject request() {
    JsonObject request = new JsonObject();
    request.addProperty("uid", "verify");
    return request;
  }

  private static JsonObject review(String version, String kind, JsonObject request) {
    JsonObject review = new JsonObject();
    review.addProperty("apiVersion", version);
    review.addProperty("kind", kind);
    review.add("request", request);
    return review;
  }

  private static String first(JsonObject rule, String list) {
    return ProjectManifests.texts(rule.get(list)).getFirst();
  }

  /** Calls a webhook; returns why it does not answer, or an empty text. */
  static String call(Registered webhook) throws InterruptedException {
    try (HttpClient http = HttpClient.newBuilder().sslContext(trusting(webhook.client())).build()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create(Json.text(webhook.client(), "url")))
                  .timeout(LIMIT)
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(webhook.review().toString()))
                  .build(),
              BodyHandlers.ofString());
      boolean answers =
          response.statusCode() == OK
              && JsonParser.parseString(response.body()) instanceof JsonObject review
              && Json.text(review.get("response"), "uid").equals("verify");
      return answers
          ? ""
          : "%s: responds with %d %s"
              .formatted(webhook.name(), response.statusCode(), response.body().strip());
    } catch (IOException
        | GeneralSecurityException
        | JsonSyntaxException
        | IllegalArgumentException e) {
      return webhook.name() + ": " + e;
    }
  }

  /** Returns a context that trusts the authority of a webhook, and nothing else. */
  private static SSLContext trusting(JsonObject client)
      throws GeneralSecurityException, IOException {
    byte[] bundle = Base64.getDecoder().decode(Json.text(client, "caBundle"));
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    for (Certificate one :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(bundle))) {
      trusted.setCertificateEntry("authority-" + trusted.size(), one);
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
