// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Events are found however the bytes come, and an event without an end is not kept for ever. */
class EventParserTest {

  private final List<String> found = new ArrayList<>();
  private final EventParser parser =
      new EventParser(event ->
          found.add(event.name() + "|" + event.id() + "|" + event.text().toString().strip()));

  private boolean take(String text) {
    return parser.take(Buffer.buffer(text));
  }

  @Test
  void whereTheBytesAreCut_makesNoDifference() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String end = random.nextInt(4) == 0 ? "\r\n" : "\n";
      String name = "kind" + random.nextInt(5);
      String data = "{\"ä\":\"" + "x".repeat(random.nextInt(300)) + "\"}";
      boolean numbered = random.nextBoolean();
      if (random.nextInt(3) == 0) {
        text.append(":hb").append(end).append(end);
      }
      text.append(numbered ? "id: a=" + i + end : "").append("event: ").append(name).append(end);
      text.append("data: ").append(data).append(end).append(end);
      expected.add(
          name + "|" + (numbered ? "a=" + i : null) + "|event: " + name + "\ndata: " + data);
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    for (int at = 0; at < bytes.length; ) {
      int length = Math.min(bytes.length - at, 1 + random.nextInt(700));
      assertThat(parser.take(Buffer.buffer().appendBytes(bytes, at, length))).isTrue();
      at += length;
    }
    assertThat(found).as("seed " + seed).isEqualTo(expected);
  }

  @Test
  void dataOfSeveralLines_staysSo_andWhatHasNoDataIsNoEvent() {
    assertThat(take("event:a\ndata:1\ndata: 2\n\nevent: b\nid: 7\n\nretry: 5\ndata\n\n")).isTrue();
    assertThat(found).containsExactly("a|null|event: a\ndata: 1\ndata: 2");
  }

  @Test
  void anEventThatIsTooLong_isTheEnd() {
    String line = "data: " + "x".repeat(EventParser.MAX_EVENT / 2) + "\n";
    assertThat(take(line)).isTrue();
    assertThat(take(line)).isFalse();
    EventParser other = new EventParser(event -> found.add(event.name()));
    assertThat(other.take(Buffer.buffer("x".repeat(EventParser.MAX_EVENT + 1)))).isFalse();
    assertThat(found).isEmpty();
  }
}
