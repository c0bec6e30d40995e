// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The newer HTTP client of the JDK, for PATCH alone: it costs half a second to load, which every
 * other command is spared. An answer is whole in memory, since none to a change is large.
 */
final class PatchWire implements Wire {

  private final Tls tls;

  PatchWire(Tls tls) {
    this.tls = tls;
  }

  @Override
  public Response send(Request request) throws IOException {
    HttpClient client = client(request);
    try {
      CompletableFuture<HttpResponse<byte[]>> answer =
          client.sendAsync(order(request), BodyHandlers.ofByteArray());
      return response(
          answer.get(request.patience().plus(request.silence()).toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      throw silent(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      client.shutdownNow();
    }
  }

  private HttpClient client(Request request) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(request.patience());
    SSLContext context = "https".equals(request.address().getScheme()) ? tls.context() : null;
    return (context == null ? builder : builder.sslContext(context)).build();
  }

  private static HttpRequest order(Request request) {
    String body = request.body();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(request.address())
            .timeout(request.silence())
            .method(
                request.method(),
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    request.headers().forEach(builder::setHeader);
    return builder.build();
  }

  private static Response response(HttpResponse<byte[]> answer) {
    Map<String, String> headers = new HashMap<>();
    answer
        .headers()
        .map()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    return new Response(answer.statusCode(), headers, new ByteArrayInputStream(answer.body()));
  }

  private static IOException failure(@Nullable Throwable cause) {
    return switch (cause) {
      case HttpTimeoutException silent -> silent(silent);
      case IOException known -> known;
      case null, default -> new IOException(cause);
    };
  }

  private static IOException silent(Exception cause) {
    IOException silent = new SocketTimeoutException("no answer");
    silent.initCause(cause);
    return silent;
  }
}
