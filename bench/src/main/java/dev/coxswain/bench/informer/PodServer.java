// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.bench.run.HttpCalls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * The API server of all subjects, a process of its own: {@code PodServer <pods>} prints its address
 * when all pods are there, and ends with its standard input.
 */
final class PodServer {
  private PodServer() {}

  public static void main(String[] args) throws IOException {
    try (EmbeddedApiServer server = start(Integer.parseInt(args[0]))) {
      System.out.println(server.url());
      while (System.in.read() >= 0) {
        // the parent closes the stream
      }
    }
    System.exit(0);
  }

  static EmbeddedApiServer start(int pods) {
    EmbeddedApiServer server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    server.apply(PodJson.namespaces(pods));
    for (int i = 0; i < pods; i++) {
      server.apply(PodJson.pod(i));
    }
    return server;
  }

  /** Returns how many bytes a pod has on average in the list that the server at the URL sends. */
  static long bytesOfPod(String url, int pods) throws IOException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest all = HttpRequest.newBuilder(URI.create(url + "/api/v1/pods")).build();
      HttpResponse<byte[]> list =
          HttpCalls.send(client, all, HttpResponse.BodyHandlers.ofByteArray());
      if (list.statusCode() != 200) {
        throw new IOException("the list of the pods was answered with " + list.statusCode());
      }
      return list.body().length / pods;
    }
  }
}
