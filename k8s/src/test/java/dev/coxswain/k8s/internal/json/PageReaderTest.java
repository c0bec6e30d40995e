// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page yields the objects that its parsed tree has, however its bytes arrive. */
class PageReaderTest {

  @Test
  void ofAnyPage_theObjectsAndMetadataOfItsTree() throws IOException {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      JsonObject tree = RandomJson.object(random, 0);
      JsonArray items = new JsonArray();
      for (int count = random.nextInt(20); count > 0; count--) {
        items.add(RandomJson.object(random, 0));
      }
      tree.addProperty("kind", "L");
      tree.add("items", items.isEmpty() && random.nextBoolean() ? JsonNull.INSTANCE : items);
      JsonObject metadata = RandomJson.object(random, 1);
      if (random.nextBoolean()) {
        metadata.addProperty("continue", "next\"page");
      }
      tree.add("metadata", random.nextInt(10) == 0 ? JsonNull.INSTANCE : metadata);

      List<JsonElement> read = new ArrayList<>();
      PageReader reader =
          new PageReader(in(RandomJson.text(tree, random), () -> 1 + random.nextInt(9)));
      reader.read(item -> read.add(item.tree()));

      assertThat(read).as("seed %s", seed).isEqualTo(items.asList());
      ReceivedObject whole =
          ReceivedObject.of(RandomJson.text(tree, random).getBytes(StandardCharsets.UTF_8));
      assertThat(reader.resourceVersion()).as("seed %s", seed).isEqualTo(whole.resourceVersion());
      assertThat(reader.token())
          .as("seed %s", seed)
          .isEqualTo(
              tree.get("metadata") instanceof JsonObject && metadata.has("continue")
                  ? "next\"page"
                  : "");
    }
  }

  @Test
  void anObjectLongerThanTheBuffer_isWhole() throws IOException {
    for (int length : new int[] {16_350, 16_384, 40_000, 1_000_000}) {
      String item = "{\"data\":\"" + "x".repeat(length) + "\"}";
      String page =
          "{\"kind\":\"L\",\"items\":[{},"
              + item
              + ",{\"a\":1}],\"metadata\":{\"resourceVersion\":\"7\"}}";
      List<String> read = new ArrayList<>();
      PageReader reader = new PageReader(in(page, () -> Integer.MAX_VALUE));
      reader.read(each -> read.add(each.tree().toString()));
      assertThat(read).as("length %s", length).containsExactly("{}", item, "{\"a\":1}");
      assertThat(reader.resourceVersion()).isEqualTo("7");
    }
  }

  @Test
  void anObject_isReceivedBeforeTheRestIsRead() throws IOException {
    String begin = "{\"items\":[{\"a\":1}";
    InputStream broken =
        new FilterInputStream(in(begin, () -> begin.length())) {
          @Override
          public int read(byte[] to, int from, int length) throws IOException {
            int read = super.read(to, from, length);
            if (read < 0) {
              throw new IOException("connection lost");
            }
            return read;
          }
        };
    List<String> read = new ArrayList<>();
    assertThatThrownBy(() -> new PageReader(broken).read(item -> read.add(item.tree().toString())))
        .hasMessage("connection lost");
    assertThat(read).containsExactly("{\"a\":1}");
  }

  /** Its connection is free for another request only then. */
  @Test
  void thePage_isReadToItsEnd() throws IOException {
    InputStream in = in("{\"items\":[],\"kind\":\"L\"} " + "\n".repeat(50_000), () -> 1_000);
    new PageReader(in).read(item -> {});
    assertThat(in.available()).isZero();
  }

  /** The buffer needs room for the longest object, not for the page or what is not needed of it. */
  @Test
  void whatIsNotNeeded_isNotKept() throws IOException {
    String text = "x".repeat(20_000_000);
    PageReader reader =
        new PageReader(
            in("{\"kind\":\"L\",\"a\":\"" + text + "\",\"items\":[{}]}", () -> Integer.MAX_VALUE));
    reader.read(item -> {});
    assertThat(reader.room()).isLessThan(100_000);
  }

  @Test
  void aPageThatIsCut_anywhere_isAnError() {
    String page =
        "{\"kind\":\"L\\\\\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"a\":\"]}\"},{\"b\":[1,null]}],\"x\":12}";
    for (int length = 0; length < page.length(); length++) {
      String cut = page.substring(0, length);
      assertThatThrownBy(() -> new PageReader(in(cut, () -> 5)).read(item -> {}))
          .as(cut)
          .isInstanceOf(JsonParseException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>",
        "[]",
        "\"a\"",
        "{}",
        "{\"metadata\":{},\"error\":\"no upstream\"}",
        "{\"kind\":\"L\",\"items\":nul}",
        "{\"kind\":\"L\",\"items\":n}",
        "{\"kind\":\"L\",\"x\":<html>,\"items\":[]}",
        "{\"kind\":\"L\",\"items\":{}}",
        "{\"kind\":\"L\",\"items\":[1]}",
        "{\"kind\":\"L\",\"items\":[null]}",
        "{\"kind\":\"L\",\"items\":[{},]}",
        "{\"kind\":\"L\",\"items\":[{} {}]}",
        "{\"kind\":\"L\",\"items\":[],}",
        "{\"kind\":\"L\",\"items\":}",
        "{\"kind\":\"L\",\"a\" 1}",
        "{\"kind\":\"L\",\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"items\":[]}",
        "{\"kind\":\"\",\"items\":[]}",
        "{\"kind\":null,\"items\":[]}",
        "{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"1\"}}",
        "{\"kind\":\"L\",\"items\":[]} <html>"
      })
  void whatIsNoList_isAnError(String text) {
    assertThatThrownBy(() -> new PageReader(in(text, () -> 3)).read(item -> {}))
        .isInstanceOf(JsonParseException.class);
  }

  /** Returns a stream that returns at most this number of bytes at once. */
  private static InputStream in(String text, IntSupplier most) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
      @Override
      public synchronized int read(byte[] to, int from, int length) {
        return super.read(to, from, Math.min(length, most.getAsInt()));
      }
    };
  }
}
