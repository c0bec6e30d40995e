// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.route.ClientKeys;
import dev.coxswain.k8s.internal.route.ServerRoute;
import dev.coxswain.k8s.internal.route.TlsSettings;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The credential plug-in of a user: a program that prints an ExecCredential. It never has a terminal
 * to ask a person.
 *
 * <p>Thread rule: immutable; {@link #run} blocks.
 */
final class ExecCommand {

  /** The longest time that a plug-in may take. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  private static final int LONGEST_OUTPUT = 1024 * 1024;
  private static final int LONGEST_ERROR = 300;
  private static final int SHORTEST_SECRET = 4;
  private static final String GROUP = "client.authentication.k8s.io/";
  private static final Set<String> VERSIONS = Set.of(GROUP + "v1", GROUP + "v1beta1");
  private static final Set<String> FIELDS =
      Set.of(
          "command",
          "args",
          "env",
          "apiVersion",
          "installHint",
          "provideClusterInfo",
          "interactiveMode");

  /** A JSON web token, or what is left of one. */
  private static final Pattern WEB_TOKEN = Pattern.compile("eyJ[A-Za-z0-9_.-]{4,}");

  private final KubeconfigSection user;
  private final List<String> command = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<String> secrets = new ArrayList<>();
  private final String name;
  private final String version;
  private final String hint;
  private final Duration limit;
  private final @Nullable TlsSettings tls;

  private ExecCommand(
      KubeconfigSection user, KubeconfigSection exec, ServerRoute route, Duration limit)
      throws AccessException {
    this.user = user;
    this.limit = limit;
    this.tls = route.isSecure() ? route.tls() : null;
    name = exec.text("command");
    version = exec.text("apiVersion");
    hint = exec.text("installHint").strip();
  }

  /**
   * Reads and checks the {@code exec} of a user.
   *
   * @param cluster what the plug-in receives when it wants the cluster
   * @throws AccessException when it is not supported, or there is no such program
   */
  static ExecCommand of(
      KubeconfigSection user,
      KubeconfigSection exec,
      JsonObject cluster,
      ServerRoute route,
      Duration limit)
      throws AccessException {
    exec.only(FIELDS);
    ExecCommand plugin = new ExecCommand(user, exec, route, limit);
    if (plugin.name.isEmpty()) {
      throw user.error("exec has no command");
    }
    if (!VERSIONS.contains(plugin.version)) {
      throw user.error(
          "exec has apiVersion \"%s\", supported are %sv1 and %sv1beta1"
              .formatted(plugin.version, GROUP, GROUP));
    }
    String mode = exec.text("interactiveMode");
    if (!Set.of("", "Never", "IfAvailable").contains(mode)) {
      throw user.error(
          "exec has interactiveMode "
              + mode
              + "; this process has no terminal, so it must be Never or IfAvailable");
    }
    for (KubeconfigSection variable : exec.sections("env")) {
      variable.only(Set.of("name", "value"));
      String variableName = variable.text("name");
      if (variableName.isEmpty() || variableName.indexOf('=') >= 0) {
        throw user.error("exec has a variable without a name in env");
      }
      String value = variable.text("value");
      plugin.environment.put(variableName, value);
      if (value.length() >= SHORTEST_SECRET) {
        plugin.secrets.add(value);
      }
    }
    boolean path = plugin.name.indexOf('/') >= 0 || plugin.name.indexOf(File.separatorChar) >= 0;
    plugin.command.add(path ? user.path(plugin.name).toString() : plugin.name);
    plugin.command.addAll(exec.texts("args"));
    plugin.environment.put(
        "KUBERNETES_EXEC_INFO",
        info(plugin.version, exec.flag("provideClusterInfo") ? cluster : null).toString());
    if (!path ? !isOnPath(plugin.name) : !Files.isExecutable(Path.of(plugin.command.getFirst()))) {
      throw plugin.error(path ? "is no program that this user may run" : "is in no folder of PATH");
    }
    return plugin;
  }

  private static JsonObject info(String version, @Nullable JsonElement cluster) {
    JsonObject spec = new JsonObject();
    if (cluster != null) {
      spec.add("cluster", cluster);
    }
    spec.addProperty("interactive", false);
    JsonObject info = new JsonObject();
    info.addProperty("kind", "ExecCredential");
    info.addProperty("apiVersion", version);
    info.add("spec", spec);
    return info;
  }

  private static boolean isOnPath(String program) {
    if (File.separatorChar == '\\') {
      return true; // Windows adds endings; the start of the process reports it
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      try {
        Path file = Path.of(folder).resolve(program);
        if (Files.isRegularFile(file) && Files.isExecutable(file)) {
          return true;
        }
      } catch (InvalidPathException e) {
        // Nothing can be found in such a folder.
      }
    }
    return false;
  }

  /** Returns a failure that names the plug-in. */
  private AccessException error(String what) {
    return user.error("exec plug-in " + name + " " + what + (hint.isEmpty() ? "" : "; " + hint));
  }

  /**
   * Runs the plug-in once.
   *
   * @throws AccessException when it provides no credential
   */
  ExecCredential run() throws AccessException {
    BoundedProcess.Result result;
    try {
      result = new BoundedProcess(command, environment, limit, LONGEST_OUTPUT).run();
    } catch (IOException e) {
      throw error(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw error("was interrupted");
    }
    if (result.code() != 0) {
      String text = shown(result.error());
      throw error("ended with exit code " + result.code() + (text.isEmpty() ? "" : ": " + text));
    }
    try {
      ExecResponse response = ExecResponse.parse(result.output(), version);
      return new ExecCredential(credential(response), Instant.now(), response.expiry());
    } catch (IllegalArgumentException e) {
      throw error(String.valueOf(e.getMessage()));
    }
  }

  private Credential credential(ExecResponse response) throws AccessException {
    Credential credential =
        response.token().isEmpty() ? Credential.NONE : Credential.bearer(response.token());
    if (response.certificate().isEmpty()) {
      return credential;
    }
    if (tls == null) {
      throw error("printed a client certificate, which needs a server with https");
    }
    try {
      return credential.withSockets(
          tls.sockets(
              ClientKeys.of(
                  response.certificate().getBytes(StandardCharsets.UTF_8),
                  response.key().getBytes(StandardCharsets.UTF_8))));
    } catch (GeneralSecurityException e) {
      throw error("printed a client certificate that cannot be used: " + e.getMessage());
    }
  }

  /** Returns the beginning of the standard error as one line, without secrets. */
  private String shown(String error) {
    String text = WEB_TOKEN.matcher(error.strip()).replaceAll("***");
    for (String secret : secrets) {
      text = text.replace(secret, "***");
    }
    text = text.replaceAll("[\\s\\p{Cntrl}]+", " ");
    return text.length() > LONGEST_ERROR ? text.substring(0, LONGEST_ERROR) + " ..." : text;
  }

  /**
   * The ExecCredential that a plug-in has printed.
   *
   * @param token the token; empty for none
   * @param certificate the client certificate as PEM; empty for none
   * @param key the key to it; empty for none
   * @param expiry when it expires, or null when it does not say
   */
  private record ExecResponse(
      String token, String certificate, String key, @Nullable Instant expiry) {

    private static final String KIND = "ExecCredential";

    /**
     * Parses the output of a plug-in.
     *
     * @param version the version in the kubeconfig
     * @throws IllegalArgumentException when it is no credential; the message completes "the plug-in"
     *     and has no part of the output
     */
    static ExecResponse parse(String output, String version) {
      JsonObject printed = object(output);
      String kind = text(printed, "kind");
      String printedVersion = text(printed, "apiVersion");
      if (!kind.equals(KIND) || !printedVersion.equals(version)) {
        throw new IllegalArgumentException(
            "must print kind %s of apiVersion %s".formatted(KIND, version)
                + (kind.equals(KIND) ? "; it has another apiVersion" : ""));
      }
      JsonObject status =
          printed.get("status") instanceof JsonObject object ? object : new JsonObject();
      ExecResponse response =
          new ExecResponse(
              text(status, "token"),
              text(status, "clientCertificateData"),
              text(status, "clientKeyData"),
              expiry(text(status, "expirationTimestamp")));
      if (response.certificate.isEmpty() != response.key.isEmpty()) {
        throw new IllegalArgumentException(
            "printed only one of clientCertificateData and clientKeyData");
      }
      if (response.token.isEmpty() && response.certificate.isEmpty()) {
        throw new IllegalArgumentException("printed neither a token nor a client certificate");
      }
      return response;
    }

    private static JsonObject object(String output) {
      try {
        if (JsonParser.parseString(output) instanceof JsonObject object) {
          return object;
        }
      } catch (JsonParseException e) {
        // Its message may contain a part of the output.
      }
      throw new IllegalArgumentException("printed something else than a JSON object");
    }

    private static String text(JsonObject object, String name) {
      JsonElement value = object.get(name);
      if (value == null || value.isJsonNull()) {
        return "";
      }
      if (value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()) {
        return value.getAsString();
      }
      throw new IllegalArgumentException("printed a " + name + " that is no text");
    }

    private static @Nullable Instant expiry(String text) {
      try {
        return text.isEmpty() ? null : OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException e) {
        throw new IllegalArgumentException("printed an expirationTimestamp that is no time");
      }
    }

    /** Hides the secrets. */
    @Override
    public String toString() {
      return KIND;
    }
  }
}
