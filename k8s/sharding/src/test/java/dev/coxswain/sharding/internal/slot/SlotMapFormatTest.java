// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form of the slot map. */
class SlotMapFormatTest {

  private static final SlotMap MAP =
      SlotMap.initial(SlotDivision.KEY, 4, 7)
          .with(List.of(new Assign(1, "x_1"), new Assign(2, "x_2"), new Drain(1, "x_1", "x_2")));

  @Test
  void theData_areText() {
    assertThat(SlotMapFormat.encode(MAP))
        .isEqualTo(
            Map.of(
                "format", "1",
                "function", "fnv1a-fmix/1",
                "slots", "4",
                "base", "7",
                "owners", "x_1\nx_2\n",
                "table", "-:7 0:8>1 1:8 -:7\n"));
  }

  @Test
  void theDivision_isInTheFunction() throws SlotMapException {
    SlotMap map = SlotMap.initial(SlotDivision.NAMESPACE, 4, 7);
    assertThat(SlotMapFormat.encode(map)).containsEntry("function", "fnv1a-fmix-namespace/1");
    assertThat(SlotMapFormat.decode(SlotMapFormat.encode(map))).isEqualTo(map);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 16, 32, 64, 256, 4096})
  void aMap_isDecodedAsEncoded(int slots) throws SlotMapException {
    Random random = new Random(slots);
    SlotMap map = SlotMap.initial(SlotDivision.KEY, slots, random.nextLong(1L << 50));
    assertThat(SlotMapFormat.decode(SlotMapFormat.encode(map))).isEqualTo(map);
    for (int slot = 0; slot < slots; slot++) {
      String owner = "replica-" + random.nextInt(500);
      if (random.nextInt(4) > 0) {
        map = map.with(List.of(new Assign(slot, owner)));
        if (random.nextBoolean()) {
          map = map.with(List.of(new Drain(slot, owner, "target-" + random.nextInt(500))));
        }
      }
    }
    Map<String, String> data = SlotMapFormat.encode(map);
    assertThat(SlotMapFormat.decode(data)).isEqualTo(map);
    assertThat(data.getOrDefault("table", "").lines().count()).isEqualTo(Math.max(1, slots / 16));
    assertThat(data.toString().length()).isLessThan(512 * 1024);
  }

  @Test
  void otherKeys_areIgnored() throws SlotMapException {
    Map<String, String> data = new HashMap<>(SlotMapFormat.encode(MAP));
    data.put("comment", "by hand");
    assertThat(SlotMapFormat.decode(data)).isEqualTo(MAP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "format | 2 | format \"2\" is not supported",
        "function | fnv1a-fmix/2 | function \"fnv1a-fmix/2\" is not supported",
        "slots | 3 | power of two",
        "slots | 0 | power of two",
        "slots | 8192 | at most 4096",
        "slots | -4 | slots must be a number",
        "slots | 04 | slots must be a number",
        "slots | 8 | table line 1 must have 8 entries",
        "slots | 32 | table must have 2 lines for 32 slots",
        "base | 8 | the epoch of slot 0 is below the base 8",
        "base | 99999999999999999999 | base must be a number",
        "base | 9223372036854775807 | base must be at most",
        "base | 9999999999999999999 | base must be a number",
        "owners | x_1 | slot 1 has owner 1, and there are 1 owners",
        "owners | x_1~x_1 | \"x_1\" twice",
        "owners | x_1~~x_2 | owners line 2 is not an identity",
        "owners | x 1~x_2 | owners line 1 is not an identity",
        "table | -:7 0:8>1 1:8 | table line 1 must have 4 entries",
        "table | -:7 0:8>1 1:8 -:7 -:7 | table line 1 must have 4 entries",
        "table | -:7 0:8>1 1:8 -:7~-:7 | table must have 1 lines",
        "table | -:7 0:8>1  -:7 | slot 2 must be owner:epoch[>target]",
        "table | -:7>1 0:8 1:8 -:7 | slot 0 is free and cannot be draining",
        "table | -:7 0:8>0 1:8 -:7 | slot 1 is draining to its own owner",
        "table | -:7 0:8> 1:8 -:7 | an owner of slot 1 must be a number",
        "table | -:7 0>1:8 1:8 -:7 | slot 1 must be owner:epoch[>target]",
        "table | -:7 x:8 1:8 -:7 | an owner of slot 1 must be a number",
        "table | -:7 0:x 1:8 -:7 | the epoch of slot 1 must be a number",
        "table | -:7 0:6 1:8 -:7 | the epoch of slot 1 is below the base 7",
        "table | -:7 0:5000000000000000000 1:8 -:7 | the epoch of slot 1 must be at most",
      })
  void badData_areRefusedWithTheirPlace(String key, String value, String message) {
    Map<String, String> data = new HashMap<>(SlotMapFormat.encode(MAP));
    data.put(key, value.replace('~', '\n'));
    assertThatThrownBy(() -> SlotMapFormat.decode(data))
        .isInstanceOf(SlotMapException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"format", "function", "slots", "base", "owners", "table"})
  void aMissingKey_isNamed(String key) {
    Map<String, String> data = new HashMap<>(SlotMapFormat.encode(MAP));
    data.remove(key);
    assertThatThrownBy(() -> SlotMapFormat.decode(data))
        .isInstanceOf(SlotMapException.class)
        .hasMessageContaining("key " + key + " is missing");
  }

  /** Whatever is in the data, the result is a map or a message. */
  @Test
  void damagedData_areAMapOrAnError() {
    Random random = new Random(42);
    String alphabet = "0189-:> \nx_";
    IntStream.range(0, 20_000)
        .forEach(i -> {
          Map<String, String> data = new HashMap<>(SlotMapFormat.encode(MAP));
          String key = List.copyOf(data.keySet()).get(random.nextInt(data.size()));
          StringBuilder text = new StringBuilder(data.get(key));
          for (int n = random.nextInt(4); n >= 0 && !text.isEmpty(); n--) {
            text.setCharAt(
                random.nextInt(text.length()), alphabet.charAt(random.nextInt(alphabet.length())));
          }
          data.put(key, text.toString());
          try {
            assertThat(SlotMapFormat.decode(data).slots()).isPositive();
          } catch (SlotMapException e) {
            assertThat(e.getMessage()).isNotEmpty().hasSizeLessThan(200);
          }
        });
  }

  @Test
  void anOwnerThatIsNoIdentity_isNotEncoded() {
    SlotMap map = SlotMap.initial(SlotDivision.KEY, 1, 1).with(List.of(new Assign(0, "a b")));
    assertThatThrownBy(() -> SlotMapFormat.encode(map)).hasMessageContaining("a b");
  }
}
