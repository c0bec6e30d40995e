// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.reload;

import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.config.reader.KeyListener;
import dev.coxswain.host.internal.config.reader.KeyRule;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The file of a configuration with all that is read with it: environment variables and flags, which
 * win over a changed file as they did at the start.
 *
 * <p>Thread rule: any thread; loading may block.
 */
public final class ConfigurationFile {

  private final Path path;
  private final byte[] contents;
  private final Map<String, String> environment;
  private final List<String> settings;
  private final LoadedConfiguration started;

  /** Checks a configuration beyond its values, such as the names of controllers. */
  public interface Check {
    void check(CoxswainConfiguration configuration) throws ConfigurationException, HostException;
  }

  private ConfigurationFile(
      Path path, byte[] contents, Map<String, String> environment, List<String> settings)
      throws ConfigurationException {
    this.path = path;
    this.contents = contents;
    this.environment = Map.copyOf(environment);
    this.settings = List.copyOf(settings);
    this.started = read(contents);
  }

  /**
   * Reads a file.
   *
   * @param environment the environment variables
   * @param settings {@code path=value} flags
   * @throws ConfigurationException with one line for each fault
   */
  public static ConfigurationFile read(
      Path path, Map<String, String> environment, List<String> settings)
      throws ConfigurationException {
    byte[] contents = ConfigurationLoader.contents(path);
    return new ConfigurationFile(path, contents, environment, settings);
  }

  /** Returns the configuration as it was read first. */
  public CoxswainConfiguration configuration() {
    return started.configuration();
  }

  LoadedConfiguration started() {
    return started;
  }

  Path path() {
    return path;
  }

  /** Returns the contents as they were read first. */
  List<byte[]> contents() {
    return List.of(contents);
  }

  /**
   * Reads and checks changed contents as a whole.
   *
   * @throws ConfigurationException with one line for each fault
   */
  LoadedConfiguration load(byte[] changed, Check check) throws ConfigurationException {
    LoadedConfiguration loaded = read(changed);
    try {
      check.check(loaded.configuration());
    } catch (HostException e) {
      throw new ConfigurationException(List.of(String.valueOf(e.getMessage())));
    }
    return loaded;
  }

  private LoadedConfiguration read(byte[] text) throws ConfigurationException {
    Map<String, Object> values = new HashMap<>();
    KeyListener keys =
        new KeyListener() {
          @Override
          public void rule(String key, KeyRule rule) {}

          @Override
          public void value(String key, Object value) {
            values.put(key, value);
          }
        };
    return new LoadedConfiguration(
        ConfigurationLoader.read(path, text, environment, settings, keys), values);
  }
}
