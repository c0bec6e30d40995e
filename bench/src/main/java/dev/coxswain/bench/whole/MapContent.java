// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.bench.run.ApiServer;
import java.util.Random;

/** ConfigMaps of about 1 KiB; an amount is {@code NAMESPACE=OBJECTS}. */
public final class MapContent implements ApiServer.Content {
  private static final int CONTENT = 1_000;

  public MapContent() {}

  static String name(int index) {
    return "map-" + index;
  }

  @Override
  public void fill(EmbeddedApiServer server, String amount) {
    String namespace = amount.substring(0, amount.indexOf('='));
    int objects = Integer.parseInt(amount.substring(namespace.length() + 1));
    Random random = new Random(1);
    server.apply(
        "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"%s\"}}"
            .formatted(namespace));
    for (int i = 0; i < objects; i++) {
      server.apply(
          """
          {"apiVersion": "v1", "kind": "ConfigMap",
           "metadata": {"name": "%s", "namespace": "%s", "labels": {"part": "%d"}},
           "data": {"content": "%s"}}
          """
              .formatted(name(i), namespace, i, ApiServer.text(CONTENT, random)));
    }
  }
}
