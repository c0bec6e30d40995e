// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.ServedWebhook;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.WebhookManifests;
import dev.coxswain.k8s.webhook.Webhooks;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks of the controllers of a run, registered with the API server as by a host, and called
 * by it in this process. A conversion is registered as soon as its definition is installed.
 *
 * <p>Thread rule: the thread of the test; webhooks are called on the event loop of the server.
 */
public final class KitWebhooks {

  private static final List<ResourceType<Unstructured>> CONFIGURATIONS =
      List.of(WebhookManifests.MUTATING, WebhookManifests.VALIDATING);

  private final EmbeddedApiServer server;
  private final Map<String, ConversionWebhook> waiting = new LinkedHashMap<>();

  /** What definitions had before, by their names. */
  private final Map<String, JsonElement> before = new LinkedHashMap<>();

  /** Prepares webhooks that this server calls. */
  public KitWebhooks(EmbeddedApiServer server) {
    this.server = server;
  }

  /**
   * Serves and registers the webhooks of definitions, in place of those of before.
   *
   * @param environment the environment of the controllers
   * @throws IllegalStateException when some cannot be built, or two convert one kind
   */
  public void serve(List<ControllerDefinition> definitions, ControllerEnvironment environment) {
    Map<String, ServedWebhook> paths = new LinkedHashMap<>();
    Map<String, String> converting = new LinkedHashMap<>();
    for (ControllerDefinition definition : definitions) {
      if (!(definition instanceof WebhookDefinition declaring)) {
        continue;
      }
      String name = definition.name();
      Webhooks webhooks = new Webhooks(name);
      try {
        declaring.webhooks(webhooks, environment);
      } catch (Exception e) {
        throw new IllegalStateException(
            "the webhooks of controller \"" + name + "\" could not be built", e);
      }
      webhooks.admission().forEach(one -> paths.put(one.path(), one));
      for (ConversionWebhook one : webhooks.conversion()) {
        String other = converting.put(one.definition(), name);
        if (other != null) {
          throw new IllegalStateException(
              "controllers \"%s\" and \"%s\" both convert %s, and a kind has one conversion"
                  .formatted(other, name, one.definition()));
        }
        paths.put(one.path(), one);
        waiting.put(one.definition(), one);
      }
      for (ResourceType<Unstructured> type : CONFIGURATIONS) {
        WebhookManifests.configuration(type, name, webhooks, Map.of(), KitWebhooks::client)
            .ifPresent(configuration -> server.apply(configuration.json().toString()));
      }
    }
    if (!paths.isEmpty()) {
      Map<String, ServedWebhook> served = Map.copyOf(paths);
      server.serveWebhooks((path, review) -> review(served.get(path), path, review));
      convert();
    }
  }

  private static Future<String> review(
      @Nullable ServedWebhook webhook, String path, String review) {
    return webhook == null
        ? Future.failedFuture("no controller of this test has a webhook " + path)
        : webhook
            .review(JsonParser.parseString(review).getAsJsonObject())
            .map(JsonObject::toString);
  }

  private static JsonObject client(String path) {
    JsonObject client = new JsonObject();
    client.addProperty("url", EmbeddedApiServer.LOCAL_WEBHOOKS + path);
    return client;
  }

  /** Registers the conversions whose definitions have been installed since. */
  public void convert() {
    if (waiting.isEmpty()) {
      return;
    }
    for (String text : server.state().objects()) {
      JsonObject object = JsonParser.parseString(text).getAsJsonObject();
      if (isDefinition(object)) {
        String name = object.getAsJsonObject("metadata").get("name").getAsString();
        ConversionWebhook conversion = waiting.remove(name);
        if (conversion != null) {
          JsonObject spec = object.getAsJsonObject("spec");
          JsonElement present = spec.get("conversion");
          before.putIfAbsent(name, present == null ? none() : present);
          write(object, WebhookManifests.conversion(client(conversion.path())));
        }
      }
    }
  }

  private static boolean isDefinition(JsonObject object) {
    return object.get("kind").getAsString().equals(WebhookManifests.DEFINITIONS.kind());
  }

  private static JsonObject none() {
    JsonObject none = new JsonObject();
    none.addProperty("strategy", "None");
    return none;
  }

  private void write(JsonObject definition, JsonElement conversion) {
    definition.getAsJsonObject("spec").add("conversion", conversion);
    server.apply(definition.toString());
    server.state().settle();
  }

  /** Serves nothing any more: definitions, which stay for the next test, have what they had before. */
  public void close() {
    waiting.clear();
    if (!before.isEmpty()) {
      for (String text : server.state().objects()) {
        JsonObject object = JsonParser.parseString(text).getAsJsonObject();
        if (isDefinition(object)) {
          JsonElement former =
              before.get(object.getAsJsonObject("metadata").get("name").getAsString());
          if (former != null) {
            write(object, former);
          }
        }
      }
    }
    server.serveWebhooks(null);
  }
}
