// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.jvm.StallLimit;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a development session.
 *
 * <p>Thread rule: immutable.
 *
 * @param replicas the number of replicas
 * @param freePorts whether any free ports are used
 * @param config the configuration file of the replicas, or null
 * @param settings {@code path=value} settings for the replicas
 * @param ownToken whether to create a token for the admin API, because no other authentication is
 *     configured
 * @param plugins the plug-ins that are reloaded when their classes change
 * @param examples whether the example controllers run
 * @param classPath what the replicas have in their class path besides
 * @param data the folder for the objects of the API server, or null to keep them in memory
 * @param shardedListAndWatch whether the API server obeys shard selectors
 * @param stallLimit how long a step of the start may take
 */
public record DevOptions(
    int replicas,
    boolean freePorts,
    @Nullable String config,
    List<String> settings,
    boolean ownToken,
    List<PluginSource> plugins,
    boolean examples,
    List<Path> classPath,
    @Nullable Path data,
    boolean shardedListAndWatch,
    StallLimit stallLimit) {

  /** The default port of the API server. */
  public static final int API_PORT = 8001;

  /** The most replicas on one machine. */
  public static final int MAX_REPLICAS = 16;

  public DevOptions {
    settings = List.copyOf(settings);
    plugins = List.copyOf(plugins);
    classPath = List.copyOf(classPath);
  }
}
