// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.internal.selection.SelectedWatch;
import dev.coxswain.k8s.internal.selection.ShardRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * The watch of one cache at the server: what it was opened with, and whether it is open. Its requests end here; only their
 * parameter matters, and that the production code closes it.
 */
final class SimulatedWatch {

  private static final OkHttpClient HTTP = new OkHttpClient();
  private static final Pattern RANGE = Pattern.compile("'0x([0-9a-f]+)', '0x([0-9a-f]+)'");
  private static final int DIGITS = 16;

  /** The hash of each namespace, as the ranges of production write it. */
  private static final Map<String, String> POINTS = new HashMap<>();

  private final SelectedWatch<?> selected;
  private final ApiTransport transport;
  private @Nullable WatchStream stream;
  private String asked = "";
  private int selections;

  /** The start and the end of each range. */
  private final List<Range> ranges = new ArrayList<>();

  private record Range(String start, String end) {
    boolean has(String point) {
      return start.compareTo(point) <= 0 && (end.length() > DIGITS || point.compareTo(end) < 0);
    }
  }

  SimulatedWatch(SelectedWatch<?> selected) {
    this.selected = selected;
    OkHttpClient http = HTTP.newBuilder().addInterceptor(this::answer).build();
    this.transport =
        new ApiTransport(ServerAccess.of("http://server.test", http), KubernetesOptions.DEFAULT);
  }

  private Response answer(Interceptor.Chain chain) {
    asked = Objects.requireNonNullElse(chain.request().url().queryParameter("shardSelector"), "");
    ForwardingSource closable =
        new ForwardingSource(new Buffer()) {
          @Override
          public void close() throws IOException {
            super.close();
            closed();
          }
        };
    return new Response.Builder()
        .request(chain.request())
        .protocol(Protocol.HTTP_1_1)
        .code(200)
        .message("OK")
        .body(ResponseBody.create(Okio.buffer(closable), null, -1))
        .build();
  }

  /** The reader of a stream notices at once that it was closed. */
  private void closed() {
    if (stream != null) {
      stream = null;
      selected.ended();
    }
  }

  /**
   * Opens it.
   *
   * @param obeyed whether the server selects
   */
  void open(boolean obeyed) {
    stream = selected.open(transport, Map.of(), false);
    selections += asked.isEmpty() ? 0 : 1;
    ranges.clear();
    if (obeyed) {
      Matcher range = RANGE.matcher(asked);
      while (range.find()) {
        ranges.add(new Range(range.group(1), range.group(2)));
      }
    }
  }

  /** Returns how many were opened with a selector. */
  int selections() {
    return selections;
  }

  boolean isOpen() {
    return stream != null;
  }

  /** Returns whether the server sends the objects of a namespace. */
  boolean sends(String namespace) {
    String point = POINTS.computeIfAbsent(namespace, SimulatedWatch::point);
    return ranges.isEmpty() || ranges.stream().anyMatch(range -> range.has(point));
  }

  private static String point(String namespace) {
    Matcher range = RANGE.matcher(ShardRanges.of(List.of(namespace), List.of()).toString());
    return range.find() ? range.group(1) : "";
  }

  void close() {
    WatchStream open = stream;
    if (open != null) {
      open.close();
    }
  }
}
