// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A named reconciler with the sources that feed it: everything needed to run it.
 *
 * <p>Thread rule: immutable, except {@link #connect}. A controller is run once, since its sources
 * are.
 *
 * @param <K> the type of its requests
 */
public final class Controller<K> {

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private final String name;
  private final RequestFormat<K> format;
  private final ReconcileBody<K> body;
  private final List<EventSource<K>> sources;
  private final DeferredSourceRegistry<K> registry;
  private final ControllerOptions options;

  private Controller(Builder<K> builder, ReconcileBody<K> body) {
    this(
        builder.name,
        builder.format,
        body,
        List.copyOf(builder.sources),
        builder.registry,
        builder.options);
  }

  private Controller(
      String name,
      RequestFormat<K> format,
      ReconcileBody<K> body,
      List<EventSource<K>> sources,
      DeferredSourceRegistry<K> registry,
      ControllerOptions options) {
    this.name = name;
    this.format = format;
    this.body = body;
    this.sources = sources;
    this.registry = registry;
    this.options = options;
  }

  /**
   * Begins a controller whose requests name Kubernetes objects.
   *
   * @param name a DNS label, unique in the host
   */
  public static Builder<Request> named(String name) {
    return named(name, RequestFormat.ofRequest());
  }

  /**
   * Begins a controller with requests of another type.
   *
   * @param name a DNS label, unique in the host
   * @param format how requests are shown
   */
  public static <K> Builder<K> named(String name, RequestFormat<K> format) {
    return new Builder<>(name, format);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns how requests are shown. */
  public RequestFormat<K> format() {
    return format;
  }

  /** Returns the sources of its start, in the order in which they were added. */
  public List<EventSource<K>> sources() {
    return sources;
  }

  /** Returns the options. */
  public ControllerOptions options() {
    return options;
  }

  /** Returns this controller with other options, for instance those of the host's configuration. */
  public Controller<K> withOptions(UnaryOperator<ControllerOptions> change) {
    return new Controller<>(name, format, body, sources, registry, change.apply(options));
  }

  Controller<K> withBody(ReconcileBody<K> other) {
    return new Controller<>(name, format, other, sources, registry, options);
  }

  ReconcileBody<K> body() {
    return body;
  }

  void connect(SourceRegistry<K> running) {
    registry.connect(running);
  }

  /**
   * A builder of a controller.
   *
   * <p>Thread rule: one thread.
   */
  public static final class Builder<K> {
    private final String name;
    private final RequestFormat<K> format;
    private final List<EventSource<K>> sources = new ArrayList<>();
    private final DeferredSourceRegistry<K> registry;
    private ControllerOptions options = ControllerOptions.DEFAULT;

    private Builder(String name, RequestFormat<K> format) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "controller name \""
                + name
                + "\" is not a DNS label: use a-z, 0-9 and '-', at most 63");
      }
      this.name = name;
      this.format = Objects.requireNonNull(format, "format");
      this.registry = new DeferredSourceRegistry<>(name);
    }

    /** Adds a source. */
    public Builder<K> watches(EventSource<K> source) {
      sources.add(Objects.requireNonNull(source, "source"));
      return this;
    }

    /**
     * Returns what adds sources while the controller runs, for its reconciler, or with its start for those
     * that it does not wait for.
     */
    public SourceRegistry<K> sourceRegistry() {
      return registry;
    }

    /** Changes the options, which are {@link ControllerOptions#DEFAULT} at first. */
    public Builder<K> options(UnaryOperator<ControllerOptions> change) {
      options = change.apply(options);
      return this;
    }

    /** Builds a controller with a reconciler in plain blocking Java. */
    public Controller<K> reconciles(Reconciler<K> reconciler) {
      return new Controller<>(this, new ReconcileBody.Blocking<>(reconciler));
    }

    /** Builds a controller with a reconciler that never blocks. */
    public Controller<K> reconcilesAsync(AsyncReconciler<K> reconciler) {
      return new Controller<>(this, new ReconcileBody.Async<>(reconciler));
    }
  }

  @Override
  public String toString() {
    return "Controller[" + name + "]";
  }

  /** A registry that exists before its controller runs, and then passes on what was added before. */
  private static final class DeferredSourceRegistry<K> implements SourceRegistry<K> {
    private final String controller;

    /** What was added before, in that order; guarded by itself. */
    private final Map<String, Deferred<K, ?>> waiting = new LinkedHashMap<>();

    /** Written once; guarded by what is waiting. */
    private volatile @Nullable SourceRegistry<K> running;

    private record Deferred<K, S extends EventSource<K>>(Supplier<S> source, Promise<S> result) {
      void addTo(SourceRegistry<K> registry, String name) {
        registry.add(name, source).onComplete(result);
      }
    }

    DeferredSourceRegistry(String controller) {
      this.controller = controller;
    }

    void connect(SourceRegistry<K> to) {
      synchronized (waiting) {
        running = to;
        waiting.forEach((name, one) -> one.addTo(to, name));
        waiting.clear();
      }
    }

    @Override
    public <S extends EventSource<K>> Future<S> add(String name, Supplier<S> source) {
      if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
        throw new IllegalArgumentException(
            "the name of a source must not be blank, and not longer than %d characters: \"%s\""
                .formatted(MAX_NAME_LENGTH, name));
      }
      Objects.requireNonNull(source, "source");
      SourceRegistry<K> to = running;
      return to == null ? defer(name, source) : to.add(name, source);
    }

    @SuppressWarnings("unchecked") // the calls with one name make sources of one class, by contract
    private <S extends EventSource<K>> Future<S> defer(String name, Supplier<S> source) {
      synchronized (waiting) {
        SourceRegistry<K> to = running;
        if (to != null) {
          return to.add(name, source);
        }
        Deferred<K, ?> before = waiting.get(name);
        if (before != null) {
          return (Future<S>) before.result.future();
        }
        if (waiting.size() >= MAX_SOURCES) {
          return Future.failedFuture(
              new IllegalStateException(
                  "source \"%s\" was not added: controller \"%s\" has %d added sources, the maximum"
                      .formatted(name, controller, MAX_SOURCES)));
        }
        Deferred<K, S> deferred = new Deferred<>(source, Promise.promise());
        waiting.put(name, deferred);
        return deferred.result.future();
      }
    }

    @Override
    public Future<Boolean> remove(String name) {
      synchronized (waiting) {
        SourceRegistry<K> to = running;
        if (to != null) {
          return to.remove(name);
        }
        Deferred<K, ?> before = waiting.remove(name);
        if (before != null) {
          before.result.fail(
              new IllegalStateException("source \"" + name + "\" was removed before it synced"));
        }
        return Future.succeededFuture(before != null);
      }
    }

    @Override
    public Set<String> names() {
      synchronized (waiting) {
        SourceRegistry<K> to = running;
        return to == null ? Set.copyOf(waiting.keySet()) : to.names();
      }
    }
  }
}
