// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/**
 * The body of a write, which the HTTP client must not send twice. When a connection breaks, the
 * client repeats a request by itself, although the server may have carried it out: a create with a
 * generated name would store two objects, and an update would fail with the conflict that it caused.
 *
 * <p>A request that could not be sent at all is still sent on another connection. Thread rule:
 * immutable.
 */
final class OneShotBody extends RequestBody {

  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER = "Retry-After";

  private final byte[] content;
  private final @Nullable MediaType type;

  private OneShotBody(byte[] content, @Nullable MediaType type) {
    this.content = content;
    this.type = type;
  }

  static OneShotBody of(JsonElement body, String contentType) {
    return new OneShotBody(
        body.toString().getBytes(StandardCharsets.UTF_8), MediaType.get(contentType));
  }

  /** Returns an empty body. */
  static OneShotBody nothing() {
    return new OneShotBody(new byte[0], null);
  }

  /** Hides from the client that it may repeat the request at once, which it does for any method. */
  static Response answer(Interceptor.Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    String after = response.header(RETRY_AFTER);
    return response.code() == UNAVAILABLE
            && chain.request().body() instanceof OneShotBody
            && after != null
            && after.strip().equals("0")
        ? response.newBuilder().header(RETRY_AFTER, "1").build()
        : response;
  }

  @Override
  public boolean isOneShot() {
    return true;
  }

  @Override
  public @Nullable MediaType contentType() {
    return type;
  }

  @Override
  public long contentLength() {
    return content.length;
  }

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    sink.write(content);
  }
}
