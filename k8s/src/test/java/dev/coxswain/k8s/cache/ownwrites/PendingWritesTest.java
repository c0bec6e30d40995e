// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.reconcile.Request;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PendingWritesTest {

  private final CacheProgress progress = new CacheProgress();
  private final Map<Request, ObjectVersion> cached = new HashMap<>();
  private final PendingWrites overlay =
      new PendingWrites("test", progress, cached::get, PendingWritesTest::bytes, "", "", 3);
  private final Request key = Request.of("ns", "x");

  static byte[] bytes(JsonObject object) {
    return object.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static JsonObject object(String uid, String version) {
    return JsonParser.parseString(
            "{\"metadata\":{\"uid\":\"%s\",\"resourceVersion\":\"%s\"}}".formatted(uid, version))
        .getAsJsonObject();
  }

  private static JsonObject status(String uid) {
    return JsonParser.parseString(
            "{\"kind\":\"Status\",\"details\":{\"uid\":\"%s\"}}".formatted(uid))
        .getAsJsonObject();
  }

  private String version(Request of) {
    @Nullable OwnState state = overlay.find(of);
    return state == null ? "cache" : state.json() == null ? "absent" : state.version();
  }

  @Test
  void overlay_isBounded_andTheOldestAreForgotten() {
    for (int i = 0; i < 10; i++) {
      overlay.written(Request.of("ns", "k" + i), object("u" + i, "" + (100 + i)));
    }

    assertThat(overlay.size()).isEqualTo(3);
    assertThat(overlay.forgotten()).isEqualTo(7);
    assertThat(version(Request.of("ns", "k9"))).isEqualTo("109");
  }

  @Test
  void settledWrites_takeNoRoom() {
    for (int i = 0; i < 10; i++) {
      overlay.written(Request.of("ns", "k" + i), object("u" + i, "" + (100 + i)));
      progress.watched("" + (100 + i));
    }

    assertThat(overlay.forgotten()).isZero();
  }

  @Test
  void versionsAreComparedAsNumbers_ofAnyLength() {
    progress.watched("99999999999999999999");
    overlay.written(key, object("u", "100000000000000000000"));
    assertThat(version(key)).isEqualTo("100000000000000000000");

    progress.watched("100000000000000000001");
    assertThat(version(key)).isEqualTo("cache");
  }

  @Test
  void versionsThatAreNoNumbers_holdUntilTheCacheShowsSomethingNew() {
    progress.listBegins();
    progress.listed("aa");
    cached.put(key, new ObjectVersion("u", "a1"));
    overlay.written(key, object("u", "a2"));
    assertThat(version(key)).isEqualTo("a2");

    cached.put(key, new ObjectVersion("u", "a3"));
    assertThat(version(key)).isEqualTo("cache");
  }

  @Test
  void answerOfAnOlderWrite_changesNothing() {
    overlay.written(key, object("u", "12"));
    overlay.written(key, object("u", "11"));

    assertThat(version(key)).isEqualTo("12");
  }

  @Test
  void listThatBeganBeforeTheAnswer_provesNothing_theNextOneDoes() {
    progress.listBegins();
    overlay.written(key, object("u", "50"));
    progress.listed("40");
    assertThat(version(key)).isEqualTo("50");

    progress.listBegins();
    // Restored from a backup: the versions begin again from a lower one.
    progress.listed("7");
    assertThat(version(key)).isEqualTo("cache");
  }

  @Test
  void deletedIncarnation_staysHidden_andAnotherOneIsShown() {
    cached.put(key, new ObjectVersion("u1", "10"));
    progress.watched("20");
    overlay.deleted(key, status("u1"));
    assertThat(version(key)).isEqualTo("absent");

    cached.put(key, new ObjectVersion("u2", "22"));
    progress.watched("22");
    assertThat(version(key)).isEqualTo("cache");
  }
}
