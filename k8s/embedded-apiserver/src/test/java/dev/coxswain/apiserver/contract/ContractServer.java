// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * A server that scenarios run against, and how its users prove who they are. Immutable; any thread.
 *
 * @param description what to call it
 * @param url base address without a slash at the end
 * @param client connects as the administrator: with the client certificate when there is one
 * @param nobody connects without a client certificate
 * @param token of the administrator; empty when the certificate is all there is
 * @param limitedToken of a user without any right
 */
record ContractServer(
    String description,
    String url,
    HttpClient client,
    HttpClient nobody,
    Optional<String> token,
    Optional<String> limitedToken)
    implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration CALL_LIMIT = Duration.ofSeconds(60);

  /** What a call of the administrator was answered. */
  record Answer(int status, JsonNode body) {}

  /** Sends a request as the administrator. */
  Answer call(String method, String path, String type, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(CALL_LIMIT)
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (!body.isEmpty()) {
      request.header("Content-Type", type);
    }
    token.ifPresent(t -> request.header("Authorization", "Bearer " + t));
    HttpResponse<byte[]> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    return new Answer(answer.statusCode(), parse(answer.body()));
  }

  /** What is not served at all is answered with a line of text. */
  private static JsonNode parse(byte[] body) throws IOException {
    return body.length > 0 && body[0] == '{' ? MAPPER.readTree(body) : MissingNode.getInstance();
  }

  /** Reads as the administrator. */
  Answer get(String path) throws IOException, InterruptedException {
    return call("GET", path, "", "");
  }

  @Override
  public void close() {
    client.shutdownNow();
    nobody.shutdownNow();
  }
}
