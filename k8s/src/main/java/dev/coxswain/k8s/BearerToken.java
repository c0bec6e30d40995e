// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Adds a token from a file to each request. The file is read again after a while, because tokens are
 * rotated.
 *
 * <p>Thread rule: any thread.
 */
final class BearerToken implements Interceptor {

  private final Path file;
  private final long period;
  private String token = ""; // guarded by this, as is the next
  private long readAt;

  BearerToken(Path file, Duration period) {
    this.file = file;
    this.period = period.toNanos();
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    return chain.proceed(
        chain.request().newBuilder().header("Authorization", "Bearer " + token()).build());
  }

  private synchronized String token() throws IOException {
    long now = System.nanoTime();
    if (token.isEmpty() || now - readAt >= period) {
      token = read();
      readAt = now;
    }
    return token;
  }

  /** Returns the content; while the file is being replaced, the token before, which is still valid. */
  private String read() throws IOException {
    try {
      String content = Files.readString(file).strip();
      if (!content.isEmpty()) {
        return content;
      }
    } catch (IOException e) {
      if (token.isEmpty()) {
        throw e;
      }
    }
    if (token.isEmpty()) {
      throw new IOException(file + " has no token");
    }
    return token;
  }
}
