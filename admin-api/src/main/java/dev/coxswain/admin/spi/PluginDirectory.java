// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The plug-ins of a host: controllers in jars that are loaded, replaced and removed while it runs.
 *
 * <p>Thread rule: any thread. It is called on the admin API's event loop, so no method may block.
 */
public interface PluginDirectory {

  /** Returns all plug-ins, sorted by name. */
  List<Plugin> plugins();

  /** Returns a plug-in by its name, or empty when there is none. */
  default Optional<Plugin> find(String name) {
    return plugins().stream().filter(plugin -> plugin.name().equals(name)).findFirst();
  }

  /**
   * Returns plug-ins whose files have been removed since the start of the host, the last one first;
   * the oldest are forgotten. Their {@code since} is the time of the removal.
   */
  default List<Plugin> removed() {
    return List.of();
  }

  /** Returns why the folder cannot be read, in a sentence; empty when it can. */
  String problem();

  /**
   * Begins an action.
   *
   * @param name the name of a plug-in
   * @return the beginning, or empty when there is no plug-in of this name
   */
  Optional<Begun> begin(String name, Action action);

  /** What can be done with a plug-in. */
  enum Action {
    /** Load it and start its controllers, unless it runs. */
    DEPLOY("deploy"),
    /** Stop its controllers and unload it, until it is deployed again or its files change. */
    STOP("stop"),
    /** Load its files again, and replace its controllers. */
    REDEPLOY("redeploy");

    private final String label;

    Action(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /**
   * The beginning of an action.
   *
   * @param result whether it has begun
   * @param ended completes when it has ended, well or not; never fails
   */
  record Begun(Result result, Future<Void> ended) {}

  /** Whether an action has begun. */
  enum Result {
    /** It has. */
    APPLIED,
    /** The plug-in is in that state already. */
    SKIPPED,
    /** Another action is under way. */
    BUSY
  }

  /** The state of a plug-in. */
  enum Phase {
    /** It is being loaded, or its controllers start. */
    LOADING("loading"),
    /** Its controllers were started. */
    RUNNING("running"),
    /** Its controllers stop. */
    STOPPING("stopping"),
    /** It was stopped, and stays so until it is deployed or its files change. */
    STOPPED("stopped"),
    /** It could not be loaded or replaced. */
    FAILED("failed");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /**
   * One plug-in.
   *
   * <p>Thread rule: immutable.
   *
   * @param name its name
   * @param error why it failed, or why its changed files are not in use, in a few sentences; empty for
   *     no error
   * @param since when the phase began
   * @param controllers the names of its controllers, sorted; those of its last deployment while it does
   *     not run
   * @param digest the SHA-256 of the contents of its last deployment, in hexadecimal; empty before it
   * @param deployedAt the time of its last deployment, or null before it
   * @param deployments how often it was deployed since the host was started
   */
  record Plugin(
      String name,
      Phase phase,
      String error,
      Instant since,
      List<String> controllers,
      String digest,
      @Nullable Instant deployedAt,
      int deployments) {

    public Plugin {
      controllers = List.copyOf(controllers);
    }
  }
}
