// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * The API server of all subjects, a process of its own: {@code WholeServer KUBECONFIG NAMESPACE=OBJECTS...} prints its
 * address when all objects are there, and ends with its standard input.
 */
public final class WholeServer {
  private static final int CONTENT = 1_000;

  private WholeServer() {}

  public static void main(String[] args) throws IOException {
    EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withWatchHistory(50_000).withWatchBuffer(50_000));
    Files.writeString(Path.of(args[0]), server.kubeconfig());
    for (int i = 1; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      create(server, args[i].substring(0, equals), Integer.parseInt(args[i].substring(equals + 1)));
    }
    System.out.println(server.url());
    while (System.in.read() >= 0) {
      // nothing is sent: this waits for the end of the parent
    }
    System.exit(0);
  }

  /** Returns the name of an object. */
  static String name(int index) {
    return "map-" + index;
  }

  private static void create(EmbeddedApiServer server, String namespace, int objects) {
    Random random = new Random(1);
    server.apply(
        "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"%s\"}}"
            .formatted(namespace));
    for (int i = 0; i < objects; i++) {
      String content =
          random
              .ints(CONTENT, 'a', 'z' + 1)
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
      server.apply(
          """
          {"apiVersion": "v1", "kind": "ConfigMap",
           "metadata": {"name": "%s", "namespace": "%s", "labels": {"part": "%d"}},
           "data": {"content": "%s"}}
          """
              .formatted(name(i), namespace, i, content));
    }
  }
}
