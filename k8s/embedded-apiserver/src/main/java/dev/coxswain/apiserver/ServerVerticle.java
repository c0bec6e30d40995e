// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.EmbeddedApiServer.AccessDecision;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.access.AccountTokens;
import dev.coxswain.apiserver.internal.admission.Admission;
import dev.coxswain.apiserver.internal.admission.WebhookDirectory;
import dev.coxswain.apiserver.internal.admission.WebhookDispatcher;
import dev.coxswain.apiserver.internal.controller.Controllers;
import dev.coxswain.apiserver.internal.controller.EventExpiry;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.http.Backend;
import dev.coxswain.apiserver.internal.http.HostCheck;
import dev.coxswain.apiserver.internal.http.HttpFrontend;
import dev.coxswain.apiserver.internal.http.Listener;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.JsonBody;
import dev.coxswain.apiserver.internal.operation.Applies;
import dev.coxswain.apiserver.internal.operation.Creates;
import dev.coxswain.apiserver.internal.operation.Deletes;
import dev.coxswain.apiserver.internal.operation.Lists;
import dev.coxswain.apiserver.internal.operation.Patches;
import dev.coxswain.apiserver.internal.operation.Target;
import dev.coxswain.apiserver.internal.operation.Updates;
import dev.coxswain.apiserver.internal.operation.WriteOptions;
import dev.coxswain.apiserver.internal.persist.Persistence;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import dev.coxswain.apiserver.internal.webhook.PendingException;
import dev.coxswain.apiserver.internal.webhook.WebhookClient;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Owns all state of a server. Everything but {@link #port()}, {@link #loop()} and {@link #faults}
 * is confined to its event loop.
 */
final class ServerVerticle extends VerticleBase {
  private static final int MAX_HEADERS = 64 * 1024;
  private static final int MAX_EXPIRY_MILLIS = 10_000;
  private static final String DEFINITIONS = "apiextensions.k8s.io";
  private static final String LOADER = "coxswain-load";

  private final EmbeddedApiServerOptions options;
  private final ObjectStore store;
  private final Rendering rendering = new Rendering();
  private @Nullable Backend backend;
  private @Nullable Listener listener;
  private @Nullable FaultPlan plan;
  private @Nullable Persistence persistence;
  private @Nullable Controllers controllers;
  private @Nullable WebhookClient webhookClient;
  private int resumed;

  ServerVerticle(EmbeddedApiServerOptions options) {
    this.options = options;
    this.store = new ObjectStore(options.watchHistory(), options.clock());
  }

  @Override
  public Future<?> start() {
    Path folder = options.dataDirectory();
    if (folder == null) {
      return start(null);
    }
    return Persistence.open(vertx, folder, store)
        .compose(opened -> {
          persistence = opened;
          return start(opened)
              .recover(e -> opened.close().transform(closed -> Future.failedFuture(e)));
        });
  }

  private Future<?> start(@Nullable Persistence kept) {
    ResourceRegistry registry = new ResourceRegistry();
    FaultPlan faults = new FaultPlan(vertx);
    WebhookClient webhooks = new WebhookClient(vertx);
    webhookClient = webhooks;
    Conversions conversions = new Conversions(webhooks);
    WatchHub watches =
        new WatchHub(
            vertx,
            context,
            store,
            rendering,
            options.watchBuffer(),
            options.bookmarkInterval(),
            faults,
            conversions);
    Deletes deletes = new Deletes(store);
    Creates creates = new Creates(store, registry);
    Updates updates = new Updates(store, creates);
    Map<String, Access.Bearer> users = new HashMap<>();
    options
        .tokens()
        .forEach(t ->
            users.put(
                t.token(),
                new Access.Bearer(new Access.User(t.user(), t.groups()), t.audiences())));
    Backend made =
        new Backend(
            registry,
            store,
            creates,
            updates,
            new Patches(store, updates),
            new Applies(store, creates, updates),
            deletes,
            new Lists(store),
            watches,
            rendering,
            new Access(
                Map.copyOf(users),
                new AccountTokens(InstantSource.system(), registry, store),
                registry,
                store),
            new WebhookDispatcher(new WebhookDirectory(registry, store), webhooks, conversions));
    backend = made;
    Controllers acting = new Controllers(context, registry, store, deletes, watches, conversions);
    controllers = acting;
    registry.all().stream().filter(t -> t.stored()).forEach(store::collection);
    if (kept != null) {
      resumed = kept.restore(registry, acting::serve);
      acting.refreshAll();
    }
    expireEvents(
        new EventExpiry(registry, store, options.eventTimeToLive(), InstantSource.system()));
    for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
      if (store.collection(Objects.requireNonNull(registry.type("", "namespaces"))).get("", name)
          != null) {
        continue;
      }
      ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
      namespace.putObject("metadata").put("name", name);
      load(namespace, false, Admission.NONE);
    }
    HttpFrontend front =
        new HttpFrontend(
            vertx,
            made,
            faults,
            new HostCheck(options.host(), !options.tokens().isEmpty()),
            options.faultEndpoint(),
            options.shardedListAndWatch());
    Listener listening = new Listener(vertx, http(), front, faults);
    faults.attach(new FaultActions(made, listening));
    plan = faults;
    listener = listening;
    return kept == null ? listening.start() : kept.begin().compose(v -> listening.start());
  }

  private void expireEvents(EventExpiry expiry) {
    long interval = Math.clamp(options.eventTimeToLive().toMillis() / 10, 10, MAX_EXPIRY_MILLIS);
    vertx.setPeriodic(interval, id -> sweep(expiry));
  }

  private void sweep(EventExpiry expiry) {
    if (expiry.sweep()) {
      // A task would come before the requests that wait, a timer comes after them.
      vertx.timer(1, TimeUnit.NANOSECONDS).onSuccess(rung -> sweep(expiry));
    }
  }

  private HttpServerOptions http() {
    return new HttpServerOptions()
        .setHost(options.host())
        .setPort(options.port())
        .setMaxHeaderSize(MAX_HEADERS)
        .setMaxInitialLineLength(MAX_HEADERS)
        .setHandle100ContinueAutomatically(true)
        .setTcpNoDelay(true);
  }

  @Override
  public Future<?> stop() {
    if (backend != null) {
      backend.watches().close();
    }
    Future<?> closed = listener == null ? Future.succeededFuture() : listener.close();
    Persistence kept = persistence;
    return kept == null ? closed : closed.eventually(kept::close);
  }

  /** Has webhooks in this process called without a connection. */
  void serveWebhooks(@Nullable BiFunction<String, String, Future<String>> reviews) {
    require(webhookClient).local(reviews);
  }

  /** Reports decisions about requests; null ends it. */
  void observeAccess(@Nullable Consumer<AccessDecision> decisions) {
    require(backend)
        .access()
        .observe(
            decisions == null
                ? null
                : (user, wanted, roles) ->
                    decisions.accept(
                        new AccessDecision(
                            user.name(),
                            wanted.verb(),
                            wanted.group(),
                            wanted.path().isEmpty() ? wanted.resourceWithSub() : wanted.path(),
                            wanted.namespace(),
                            wanted.name(),
                            roles)));
  }

  /**
   * Creates or replaces one object, or those of a list, one after the other.
   *
   * @param reviewed whether admission webhooks are called
   * @return fails with {@link IllegalArgumentException} when one cannot be stored
   */
  Future<?> load(JsonNode document, boolean reviewed) {
    if (Json.text(document, "kind").equals("List") && document.has("items")) {
      Future<?> loaded = Future.succeededFuture();
      for (JsonNode item : document.get("items")) {
        loaded = loaded.compose(_ -> load(item, reviewed));
      }
      return loaded;
    }
    Admission admission = Admission.of(require(backend).webhooks(), Access.ADMIN);
    return attempt(document, reviewed, reviewed ? admission : admission.closed());
  }

  private Future<?> attempt(JsonNode document, boolean merged, Admission admission) {
    try {
      load(document, merged, admission);
      return Future.succeededFuture();
    } catch (PendingException e) {
      return e.resolve().compose(_ -> attempt(document, merged, admission));
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  /** Creates an object; merges the document into one that exists, or replaces it. */
  private void load(JsonNode document, boolean merged, Admission admission) {
    Backend b = require(backend);
    String kind = Json.text(document, "kind");
    String apiVersion = Json.text(document, "apiVersion");
    JsonNode meta = document.path("metadata");
    String name = Json.text(meta, "name");
    String subject = kind + " \"" + name + "\" (" + apiVersion + ")";
    ServedResource resource = b.registry().findKind(apiVersion, kind);
    if (resource == null) {
      throw new IllegalArgumentException(
          "cannot load " + subject + ": no such kind; is its definition loaded before it?");
    }
    String namespace =
        !resource.type().namespaced()
            ? ""
            : Json.text(meta, "namespace").isEmpty() ? "default" : Json.text(meta, "namespace");
    WriteOptions write =
        new WriteOptions(false, LOADER, LOADER, "Ignore", true, new ArrayList<>(), admission);
    try {
      if (merged
          && !name.isEmpty()
          && !resource.type().is(DEFINITIONS, "customresourcedefinitions")) {
        Target target = new Target(resource, namespace, name, "");
        b.applies().apply(target, configuration(document, target), write);
        return;
      }
      StoredObject existing = b.store().collection(resource.type()).get(namespace, name);
      if (existing == null) {
        b.creates().create(resource, namespace, new JsonBody(document, List.of()), write);
      } else {
        ObjectNode copy = document.deepCopy();
        Json.ensure(copy, "metadata").put("resourceVersion", Long.toString(existing.version()));
        b.updates()
            .replace(
                new Target(resource, namespace, name, ""), new JsonBody(copy, List.of()), write);
      }
    } catch (ApiException e) {
      throw new IllegalArgumentException("cannot load " + subject + ": " + e.getMessage(), e);
    }
  }

  /** Returns what is applied of a document: unknown fields are dropped, as when it is created. */
  private static ObjectNode configuration(JsonNode document, Target at) {
    ObjectNode configuration = document.deepCopy();
    ObjectNode metadata = Json.ensure(configuration, "metadata");
    metadata.remove(List.of("resourceVersion", "uid", "managedFields"));
    if (!at.namespace().isEmpty()) {
      metadata.put("namespace", at.namespace());
    }
    try {
      new Decoder(at.resource().type().kind())
          .decode(configuration, at.resource().version().schema());
    } catch (Decoder.DecodeException e) {
      throw ApiException.badRequest(String.valueOf(e.getMessage()));
    }
    return configuration;
  }

  /** The event loop that owns the state; any thread once started. */
  Context loop() {
    return context;
  }

  /** The number of objects that were read from the data directory; any thread once started. */
  int resumed() {
    return resumed;
  }

  /** The bound port; any thread once started. */
  int port() {
    return require(listener).port();
  }

  /** Fault injection into this server; any thread once started. */
  Faults faults(LoopAccess loop) {
    return new Faults(loop, require(plan), require(backend).watches(), require(listener));
  }

  /** All objects at once; any thread once started. */
  ServerState state(LoopAccess loop) {
    Backend b = require(backend);
    return new ServerState(loop, b.registry(), store, require(controllers), b.watches());
  }

  private static <T> T require(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("not started");
    }
    return part;
  }
}
