// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.DumpPart;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DumpLinesTest {

  private static final String HEADER = "{\"kind\":\"ItemDump\",\"controller\":\"demo\"}\n";

  private static String item(String text) {
    return "{\"kind\":\"Item\",\"id\":\"" + text + "\"}\n";
  }

  private static String trailer(int count) {
    return "{\"kind\":\"Trailer\",\"complete\":true,\"count\":"
        + count
        + ",\"replicas\":[{\"replica\":\"r\",\"state\":\"ok\",\"asOfSeq\":7}]}\n";
  }

  private static Buffer bytes(String text) {
    return Buffer.buffer(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itemsArePassedOnAsTheyAre_howeverTheyAreCut() {
    StringBuilder items = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      items.append(item("ü".repeat(i) + i));
    }
    Buffer sent = bytes(HEADER + items + trailer(200));
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      DumpLines lines = new DumpLines();
      Buffer passed = Buffer.buffer();
      for (int at = 0; at < sent.length(); ) {
        int end = Math.min(sent.length(), at + 1 + random.nextInt(1 + random.nextInt(5000)));
        Buffer some = lines.take(sent.getBuffer(at, end));
        assertThat(some.length() == 0 || some.getByte(some.length() - 1) == '\n')
            .as("only whole lines, seed %d", seed)
            .isTrue();
        passed.appendBuffer(some);
        at = end;
      }
      assertThat(passed.toString()).as("seed %d", seed).isEqualTo(items.toString());
      assertThat(lines.outcome()).as("seed %d", seed).isEqualTo(DumpPart.Outcome.whole(200, 7));
    }
  }

  @Test
  void whatBreaksOff_isNotWhole_andHalfALineIsKeptBack() {
    DumpLines lines = new DumpLines();
    assertThat(lines.take(bytes(HEADER + item("a") + "{\"kind\":\"Item\",\"id")).toString())
        .isEqualTo(item("a"));
    assertThat(lines.outcome().state()).isEqualTo(PeerAnswer.State.UNREACHABLE);
    assertThat(lines.outcome().complete()).isFalse();
    assertThat(lines.outcome().count()).isEqualTo(1);
  }

  @Test
  void whatTheReplicaSaysOfItself_isItsOutcome() {
    DumpLines lines = new DumpLines();
    lines.take(
        bytes(
            HEADER
                + "{\"kind\":\"Trailer\",\"complete\":false,\"count\":0,\"replicas\":[{\"replica\":\"r\",\"state\":"
                + "\"timeout\",\"complete\":false,\"error\":\"no answer\"}]}\n"));
    assertThat(lines.outcome())
        .isEqualTo(new DumpPart.Outcome(PeerAnswer.State.TIMEOUT, 0, -1, "no answer"));
  }

  @Test
  void aTrailerOfAnotherCount_isNotBelieved() {
    DumpLines lines = new DumpLines();
    lines.take(bytes(HEADER + item("a") + trailer(2)));
    assertThat(lines.outcome().state()).isEqualTo(PeerAnswer.State.INCOMPATIBLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n",
        "hello\n",
        "[]\n",
        "{\"kind\":\"ItemList\",\"items\":[]}\n",
        "{\"kind\":\"Item\"}\n",
        "{\"kind\":\"Trailer\",\"complete\":true,\"count\":0}\n{\"kind\":\"Item\",\"id\":\"a\"}\n",
        "{\"kind\":\"Item\",\"id\":\"a\"}\n{\"kind\":\"ItemDump\"}\n",
      })
  void whatIsNoDump_isNotPassedOnAsOne(String text) {
    DumpLines lines = new DumpLines();
    String passed = lines.take(bytes(text + item("later"))).toString();
    assertThat(passed).doesNotContain("later");
    assertThat(lines.isBroken()).isTrue();
    assertThat(lines.outcome().state()).isEqualTo(PeerAnswer.State.INCOMPATIBLE);
  }

  @Test
  void aLineWithoutEnd_isNotKept() {
    DumpLines lines = new DumpLines();
    lines.take(bytes("{\"kind\":\"Item\",\"id\":\"" + "x".repeat(70_000)));
    assertThat(lines.isBroken()).isTrue();
  }
}
