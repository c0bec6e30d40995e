// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to run for development.
 *
 * <p>Thread rule: immutable.
 *
 * @param replicas how many processes
 * @param freePorts whether all ports are taken as they come
 * @param config the configuration file of the replicas, or null
 * @param settings {@code path=value} settings for the replicas
 * @param ownToken whether to make a token for the admin API, since nothing else is configured
 * @param data the folder that the API server keeps its objects in, or null when it keeps none
 */
public record DevOptions(
    int replicas,
    boolean freePorts,
    @Nullable String config,
    List<String> settings,
    boolean ownToken,
    @Nullable Path data) {

  /** The default port of the API server. */
  public static final int API_PORT = 8001;

  /** The most processes that make sense on one machine. */
  public static final int MAX_REPLICAS = 16;

  public DevOptions {
    settings = List.copyOf(settings);
  }
}
